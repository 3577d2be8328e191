// Reads the fields of a TensorProto first, which say its size, and its numbers only when memory was taken for them.
#include "engine/tensor/tensor_proto.h"

#include "engine/tensor/size.h"

#include <cstring>

namespace footlight::tensor_proto {
namespace {

using wire::ProtobufReader;

constexpr uint32_t kDims = 2, kUnknownRank = 3;  // fields of a shape
constexpr uint32_t kSize = 1;                    // field of a dimension

bool read_shape(std::string_view bytes, std::vector<int64_t>& dims) {
  dims.clear();
  ProtobufReader shape(bytes);
  while (shape.next()) {
    if (shape.field == kUnknownRank && shape.type == wire::kVarint && shape.number) return false;
    if (shape.field != kDims || shape.type != wire::kBytes) continue;
    int64_t size = 0;
    ProtobufReader dim(shape.bytes);
    while (dim.next())
      if (dim.field == kSize && dim.type == wire::kVarint) size = static_cast<int64_t>(dim.number);
    if (!dim.ok() || size < 0 || dims.size() == kMaxDimensions) return false;
    dims.push_back(size);
  }
  return shape.ok();
}

bool is_list(uint32_t field) {
  return (field >= kFloats && field <= kHalves && field != kStrings) || field == kUInt32s || field == kUInt64s;
}

uint32_t type_of(uint32_t field) {
  return field == kFloats || field == kComplex          ? wire::kFixed32
         : field == kDoubles || field == kDoubleComplex ? wire::kFixed64
                                                        : wire::kVarint;
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

// Adds one number of a list, or the packed ones.
bool add_numbers(const ProtobufReader& in, uint32_t type, std::vector<uint64_t>& numbers) {
  const size_t size = type == wire::kFixed32 ? 4 : 8;
  const auto fixed = [&](const char* at) {
    numbers.push_back(size == 4 ? wire::fixed_at<uint32_t>(at) : wire::fixed_at<uint64_t>(at));
  };
  if (in.type == type) {
    if (type == wire::kVarint) numbers.push_back(in.number);
    else fixed(in.bytes.data());
    return true;
  }
  if (in.type != wire::kBytes || (type != wire::kVarint && in.bytes.size() % size)) return false;
  std::string_view rest = in.bytes;
  while (!rest.empty()) {
    if (type == wire::kVarint) {
      uint64_t number;
      if (!wire::take_varint(rest, number)) return false;
      numbers.push_back(number);
    } else {
      fixed(rest.data());
      rest.remove_prefix(size);
    }
  }
  return true;
}

}  // namespace

wire::ProtobufWriter head(DType dtype, std::span<const int64_t> dims) {
  wire::ProtobufWriter out, shape, dim;
  out.number(kDType, static_cast<uint64_t>(dtype));
  for (const int64_t size : dims) {
    dim.clear();
    if (size) dim.number(kSize, static_cast<uint64_t>(size));
    shape.message(kDims, dim);
  }
  out.message(kShape, shape);
  return out;
}

bool read(std::string_view bytes, Message& message) {
  message = {};
  ProtobufReader in(bytes);
  while (in.next()) {
    const bool has_bytes = in.type == wire::kBytes;
    if (in.field == kDType && in.type == wire::kVarint) {
      const bool known = in.number < kDTypeCount && in_set(static_cast<DType>(in.number), kAllTypes);
      message.dtype = known ? static_cast<DType>(in.number) : DType::kInvalid;
    } else if (in.field == kShape && has_bytes) {
      if (!read_shape(in.bytes, message.dims)) return false;
    } else if (in.field == kContent && has_bytes) {
      message.content = in.bytes;
    } else if (in.field == kStrings && has_bytes) {
      message.strings.push_back(in.bytes);
    } else if (!is_list(in.field) && !message.other_field) {
      message.other_field = in.field;
    }
  }
  return in.ok();
}

bool read_numbers(std::string_view bytes, DType dtype, std::vector<uint64_t>& numbers) {
  const uint32_t field = field_of(dtype);
  ProtobufReader in(bytes);
  while (in.next())
    if (in.field == field && !add_numbers(in, type_of(field), numbers)) return false;
  return in.ok();
}

bool fill(const Tensor& tensor, std::span<const uint64_t> numbers) {
  const size_t parts = is_complex(tensor.dtype()) ? 2 : 1, size = size_of(tensor.dtype()) / parts;
  const size_t wanted = static_cast<size_t>(tensor.elements()) * parts, there = numbers.size();
  if (there > wanted || there % parts) return false;
  auto* to = static_cast<std::byte*>(tensor.raw());
  for (size_t i = 0; i < wanted; ++i, to += size) {
    const uint64_t bits = i < there ? numbers[i] : there ? numbers[there - parts + i % parts] : 0;
    if (tensor.dtype() == DType::kBool) {
      const bool value = bits != 0;
      std::memcpy(to, &value, 1);
    } else {
      std::memcpy(to, &bits, size);  // little-endian machines only, as elsewhere
    }
  }
  return true;
}

void fill(const Tensor& tensor, std::string_view content) {
  if (content.empty()) return;
  auto* const to = static_cast<char*>(tensor.raw());
  std::memcpy(to, content.data(), content.size());
  if (tensor.dtype() != DType::kBool) return;
  for (size_t i = 0; i < content.size(); ++i) to[i] = content[i] != 0;  // another number is no bool
}

}  // namespace footlight::tensor_proto
