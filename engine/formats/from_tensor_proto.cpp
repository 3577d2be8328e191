// TensorProto as a tensor: raw bytes, or typed values of which the last one is repeated to fill the shape.
#include "engine/formats/constants.h"

#include "engine/base/text.h"
#include "engine/tensor/size.h"
#include "engine/wire/varint.h"

#include <algorithm>
#include <complex>
#include <cstring>

namespace footlight::formats {
namespace {

// The values of `field`; the rest is the last one. `make(i)` is the element of value i.
template <class T, class Make>
void fill(const Tensor& tensor, int64_t values, Make&& make) {
  T* data = tensor.data<T>();
  const int64_t count = tensor.elements(), given = std::min(values, count);
  for (int64_t i = 0; i < given; ++i) data[i] = make(static_cast<int>(i));
  if (given == 0) std::fill_n(data, count, T());
  else std::fill(data + given, data + count, data[given - 1]);
}

template <class T, class Field>
void plain(const Tensor& tensor, const Field& field) {
  fill<T>(tensor, field.size(), [&](int i) { return static_cast<T>(field[i]); });
}

template <class T, class Field>
void pairs(const Tensor& tensor, const Field& field) {
  fill<std::complex<T>>(tensor, field.size() / 2,
                        [&](int i) { return std::complex<T>(field[2 * i], field[2 * i + 1]); });
}

// Lengths of all strings, then their characters.
void strings_of(const Tensor& tensor, std::string_view bytes) {
  std::vector<uint64_t> lengths(static_cast<size_t>(tensor.elements()));
  uint64_t all = 0;
  for (uint64_t& length : lengths) {
    if (!wire::take_varint(bytes, length) || length > bytes.size())
      fail(ErrorKind::kValue, "the content of a string tensor is cut off");
    all += length;
  }
  if (all != bytes.size()) fail(ErrorKind::kValue, "the content of a string tensor has ", bytes.size(),
                                " characters, its strings ", all);
  std::string* out = tensor.data<std::string>();
  for (uint64_t length : lengths) {
    *out++ = bytes.substr(0, length);
    bytes.remove_prefix(length);
  }
}

void content(const Tensor& tensor, std::string_view bytes) {
  if (tensor.dtype() == DType::kString) return strings_of(tensor, bytes);
  if (bytes.size() != tensor.bytes())
    fail(ErrorKind::kValue, "a constant of dtype ", name_of(tensor.dtype()), " and shape ", tensor.shape().to_string(),
         " has ", tensor.bytes(), " bytes, the file ", bytes.size());
  std::memcpy(tensor.raw(), bytes.data(), bytes.size());
  if (tensor.dtype() != DType::kBool) return;
  auto* flags = static_cast<unsigned char*>(tensor.raw());
  for (size_t i = 0; i < bytes.size(); ++i) flags[i] = flags[i] != 0;  // another number is no bool
}

}  // namespace

DType dtype_from(int number) {
  const auto dtype = static_cast<DType>(number);
  if (number > 0 && number < static_cast<int>(kDTypeCount) && in_set(dtype, kAllTypes)) return dtype;
  const std::string name = DataType_Name(static_cast<DataType>(number));
  if (number > 100 && !name.empty())
    fail(ErrorKind::kValue, "the dtype ", name, " belongs to variables of TensorFlow 1, which are not supported");
  if (name.empty() || number == 0) fail(ErrorKind::kValue, "there is no dtype ", number);
  fail(ErrorKind::kValue, "the dtype ", name, " is not supported");
}

Shape shape_from(const TensorShapeProto& message) {
  if (message.unknown_rank()) {
    if (message.dim_size()) fail(ErrorKind::kValue, "a shape of unknown rank has dimensions");
    return Shape::unknown_rank();
  }
  if (message.dim_size() > kMaxDimensions)
    fail(ErrorKind::kValue, "a shape has ", message.dim_size(), " dimensions: at most ", kMaxDimensions, " can be");
  Shape shape;
  for (const TensorShapeProto::Dim& dim : message.dim()) {
    if (dim.size() < kUnknownDim) fail(ErrorKind::kValue, "a dimension of ", dim.size(), " cannot be");
    shape.append(dim.size());
  }
  check_shape(shape);
  return shape;
}

Tensor tensor_from(const TensorProto& message, size_t& bytes_left, const Limits& limits) {
  const DType dtype = dtype_from(message.dtype());
  const Shape shape = shape_from(message.tensor_shape());
  if (!shape.fully_known())
    fail(ErrorKind::kValue, "a constant has the shape ", shape.to_string(), ", which is not fully known");
  if (dtype == DType::kResource || dtype == DType::kVariant)
    fail(ErrorKind::kValue, "a constant of dtype ", name_of(dtype), " cannot be read from a file");
  const auto elements = static_cast<uint64_t>(shape.elements());
  if (elements > bytes_left / size_of(dtype))
    fail(ErrorKind::kValue, "the constants of this graph take too much memory: one has dtype ", name_of(dtype),
         " and shape ", shape.to_string(), ", and ", limits.constant_bytes, " bytes are the most of all");
  bytes_left -= elements * size_of(dtype);
  Tensor tensor = Tensor::empty(dtype, shape);
  if (!message.tensor_content().empty()) {
    content(tensor, message.tensor_content());
    return tensor;
  }
  switch (dtype) {
    case DType::kFloat32: plain<float>(tensor, message.float_val()); break;
    case DType::kFloat64: plain<double>(tensor, message.double_val()); break;
    case DType::kInt8: plain<int8_t>(tensor, message.int_val()); break;
    case DType::kInt16: plain<int16_t>(tensor, message.int_val()); break;
    case DType::kInt32: plain<int32_t>(tensor, message.int_val()); break;
    case DType::kUInt8: plain<uint8_t>(tensor, message.int_val()); break;
    case DType::kUInt16: plain<uint16_t>(tensor, message.int_val()); break;
    case DType::kInt64: plain<int64_t>(tensor, message.int64_val()); break;
    case DType::kUInt32: plain<uint32_t>(tensor, message.uint32_val()); break;
    case DType::kUInt64: plain<uint64_t>(tensor, message.uint64_val()); break;
    case DType::kBool: plain<bool>(tensor, message.bool_val()); break;
    case DType::kFloat16:
    case DType::kBFloat16: plain<uint16_t>(tensor, message.half_val()); break;
    case DType::kComplex64: pairs<float>(tensor, message.scomplex_val()); break;
    case DType::kComplex128: pairs<double>(tensor, message.dcomplex_val()); break;
    case DType::kString:
      fill<std::string>(tensor, message.string_val_size(), [&](int i) { return message.string_val(i); });
      break;
    default: break;
  }
  return tensor;
}

}  // namespace footlight::formats
