// Reads a tensor out of a TensorProto: sizes first, then memory.
#include "kernels/cpu/scalar/tensor_proto.h"

#include "engine/base/claimed_size.h"
#include "engine/base/protobuf_reader.h"
#include "engine/base/text.h"
#include "engine/tensor/size.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace footlight::tensor_proto {
namespace {

std::string base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t there = std::min<size_t>(3, bytes.size() - i);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < there ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (size_t k = 0; k < 4; ++k) out += k <= there ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::optional<Shape> shape_in(std::string_view bytes) {
  Shape shape;
  ProtobufReader in(bytes);
  while (in.next()) {
    if (in.field == 3 && in.type == ProtobufReader::kVarint && in.number) return std::nullopt;
    if (in.field != 2 || in.type != ProtobufReader::kBytes) continue;
    int64_t size = 0;
    ProtobufReader dim(in.bytes);
    while (dim.next())
      if (dim.field == 1 && dim.type == ProtobufReader::kVarint) size = static_cast<int64_t>(dim.number);
    if (!dim.ok() || size < 0 || shape.rank() == kMaxDimensions) return std::nullopt;
    shape.append(size);
  }
  if (!in.ok()) return std::nullopt;
  return shape;
}

// The numbers of a repeated field, packed or not, as bits.
struct Numbers {
  std::vector<uint64_t> bits;
  bool add(const ProtobufReader& in, uint32_t type) {
    const auto fixed = [&](std::string_view from) {
      bits.push_back(type == ProtobufReader::kFixed32 ? ProtobufReader::fixed<uint32_t>(from)
                                                      : ProtobufReader::fixed<uint64_t>(from));
    };
    if (in.type == type) {
      if (type == ProtobufReader::kVarint)
        bits.push_back(in.number);
      else
        fixed(in.bytes);
      return true;
    }
    if (in.type != ProtobufReader::kBytes) return false;
    std::string_view rest = in.bytes;
    const size_t size = type == ProtobufReader::kFixed32 ? 4 : 8;
    if (type != ProtobufReader::kVarint && rest.size() % size) return false;
    while (!rest.empty()) {
      if (type == ProtobufReader::kVarint) {
        uint64_t number;
        if (!ProtobufReader::take_varint(rest, number)) return false;
        bits.push_back(number);
      } else {
        fixed(rest);
        rest.remove_prefix(size);
      }
    }
    return true;
  }
};

uint32_t type_of(uint32_t field) {
  return field == kFloats || field == kComplex          ? ProtobufReader::kFixed32
         : field == kDoubles || field == kDoubleComplex ? ProtobufReader::kFixed64
                                                        : ProtobufReader::kVarint;
}

// The field that holds elements of a dtype.
uint32_t field_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return kFloats;
    case DType::kFloat64: return kDoubles;
    case DType::kComplex64: return kComplex;
    case DType::kComplex128: return kDoubleComplex;
    case DType::kInt64: return kInt64s;
    case DType::kBool: return kBools;
    case DType::kUInt32: return kUInt32s;
    case DType::kUInt64: return kUInt64s;
    case DType::kFloat16:
    case DType::kBFloat16: return kHalves;
    default: return kInts;
  }
}

bool fill(const Tensor& out, const Numbers& numbers) {
  const size_t whole = size_of(out.dtype()), parts = is_complex(out.dtype()) ? 2 : 1, size = whole / parts;
  const size_t wanted = static_cast<size_t>(out.elements()) * parts;
  if (numbers.bits.size() > wanted || numbers.bits.size() % parts) return false;
  auto* to = static_cast<std::byte*>(out.raw());
  for (size_t i = 0; i < wanted; ++i, to += size) {
    // Missing elements repeat the last one; without any they are zero.
    const size_t there = numbers.bits.size();
    const uint64_t bits = i < there ? numbers.bits[i] : there ? numbers.bits[there - parts + i % parts] : 0;
    if (out.dtype() == DType::kBool) {
      const bool value = bits != 0;
      std::memcpy(to, &value, 1);
    } else {
      std::memcpy(to, &bits, size);  // little-endian machines only, as elsewhere
    }
  }
  return true;
}

}  // namespace

Tensor parse(const std::string& serialized, DType wanted) {
  const auto refuse = [&] {
    invalid("Could not parse `serialized` as TensorProto, base64: ",
            base64(std::string_view(serialized).substr(0, 4096)), " [Op:ParseTensor]");
  };
  DType dtype = DType::kInvalid;
  Shape shape;
  std::string_view content;
  std::vector<std::string_view> strings;
  ProtobufReader find(serialized);
  while (find.next()) {
    if (find.field == kDType && find.type == ProtobufReader::kVarint) {
      dtype = DType::kInvalid;
      for (const auto& [known, number] : kNumbers)
        if (static_cast<uint64_t>(number) == find.number) dtype = known;
    } else if (find.field == kShape && find.type == ProtobufReader::kBytes) {
      const auto found = shape_in(find.bytes);
      if (!found) refuse();
      shape = *found;
    } else if (find.field == kContent && find.type == ProtobufReader::kBytes) {
      content = find.bytes;
    } else if (find.field == kStrings && find.type == ProtobufReader::kBytes) {
      strings.push_back(find.bytes);
    }
  }
  if (!find.ok() || dtype == DType::kInvalid) refuse();
  if (dtype != wanted)
    invalid("Type mismatch between parsed tensor (", name_of(dtype), ") and dtype (", name_of(wanted),
            ") [Op:ParseTensor]");
  check_shape(shape);
  const int64_t elements = shape.elements();
  const uint64_t element_bytes = dtype == DType::kString ? sizeof(std::string) : size_of(dtype);
  if (!content.empty() && dtype != DType::kString && content.size() != static_cast<size_t>(elements) * size_of(dtype))
    refuse();
  // A short message may stand for many equal elements.
  if (content.empty())
    check_claimed_size(ErrorKind::kResourceExhausted, "Could not parse `serialized`: the TensorProto",
                       static_cast<uint64_t>(elements) * element_bytes, serialized.size(), element_bytes);
  Tensor out = Tensor::empty(dtype, shape);
  if (dtype == DType::kString) {
    if (static_cast<int64_t>(strings.size()) > elements) refuse();
    for (int64_t i = 0; i < elements && !strings.empty(); ++i)
      out.data<std::string>()[i] = strings[std::min(static_cast<size_t>(i), strings.size() - 1)];
  } else if (!content.empty()) {
    std::memcpy(out.raw(), content.data(), content.size());
    if (dtype == DType::kBool)
      for (size_t i = 0; i < content.size(); ++i) static_cast<char*>(out.raw())[i] = content[i] != 0;
  } else {
    Numbers numbers;
    const uint32_t field = field_of(dtype);
    ProtobufReader in(serialized);
    while (in.next())
      if (in.field == field && !numbers.add(in, type_of(field))) refuse();
    if (!fill(out, numbers)) refuse();
  }
  return out;
}

}  // namespace footlight::tensor_proto
