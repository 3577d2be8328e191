// Kernels that write a tensor as a TensorProto and read one.
#include "kernels/cpu/register.h"

#include "engine/base/claimed_size.h"
#include "engine/base/protobuf_reader.h"
#include "engine/base/text.h"
#include "engine/tensor/size.h"

#include <optional>

namespace footlight {
namespace FL_ISA {

namespace {

// The numbers of dtypes in messages.
constexpr std::pair<DType, int> kNumbers[] = {
    {DType::kFloat32, 1},     {DType::kFloat64, 2},  {DType::kInt32, 3},     {DType::kUInt8, 4},
    {DType::kInt16, 5},       {DType::kInt8, 6},     {DType::kString, 7},    {DType::kComplex64, 8},
    {DType::kInt64, 9},       {DType::kBool, 10},    {DType::kBFloat16, 14}, {DType::kUInt16, 17},
    {DType::kComplex128, 18}, {DType::kFloat16, 19}, {DType::kUInt32, 22},   {DType::kUInt64, 23}};

// The fields of a TensorProto.
enum Field : uint32_t {
  kDType = 1,
  kShape = 2,
  kContent = 4,
  kFloats = 5,
  kDoubles = 6,
  kInts = 7,
  kStrings = 8,
  kComplex = 9,
  kInt64s = 10,
  kBools = 11,
  kDoubleComplex = 12,
  kHalves = 13,
  kUInt32s = 16,
  kUInt64s = 17
};

void put_varint(std::string& out, uint64_t number) {
  for (; number >= 0x80; number >>= 7) out.push_back(static_cast<char>(number | 0x80));
  out.push_back(static_cast<char>(number));
}
void put_bytes(std::string& out, uint32_t field, std::string_view bytes) {
  put_varint(out, field << 3 | ProtobufReader::kBytes);
  put_varint(out, bytes.size());
  out += bytes;
}

void serialize(KernelContext& c) {
  const Tensor& tensor = c.inputs[0];
  std::string out, shape;
  int number = 0;
  for (const auto& [dtype, said] : kNumbers)
    if (dtype == tensor.dtype()) number = said;
  if (!number) invalid("a tensor of ", name_of(tensor.dtype()), " cannot be serialized [Op:SerializeTensor]");
  put_varint(out, kDType << 3);
  put_varint(out, static_cast<uint64_t>(number));
  for (const int64_t d : tensor.shape().dims()) {
    std::string size;
    if (d) {
      put_varint(size, 1 << 3);
      put_varint(size, static_cast<uint64_t>(d));
    }
    put_bytes(shape, 2, size);
  }
  put_bytes(out, kShape, shape);
  if (tensor.dtype() == DType::kString) {
    for (int64_t i = 0; i < tensor.elements(); ++i) put_bytes(out, kStrings, tensor.data<std::string>()[i]);
  } else if (tensor.bytes()) {
    put_bytes(out, kContent, {static_cast<const char*>(tensor.raw()), tensor.bytes()});
  }
  *c.out<std::string>() = std::move(out);
}

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
    if (!dim.ok() || size < 0 || shape.rank() == kMostDimensions) return std::nullopt;
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

void parse(KernelContext& c) {
  static const AttrName kType{"out_type"};
  if (c.inputs[0].elements() != 1 || c.inputs[0].shape().rank() != 0)
    invalid("Expected `serialized` to be a scalar, got shape: ", c.inputs[0].shape().brackets(), " [Op:ParseTensor]");
  const std::string& serialized = *c.in<std::string>(0);
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
  const auto wanted = c.attrs.get<DType>(kType);
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
  c.outputs[0] = std::move(out);
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("SerializeTensor", kAllTypes, serialize);
  on_cpu("ParseTensor", kAllTypes, parse);
}

}  // namespace FL_ISA
}  // namespace footlight
