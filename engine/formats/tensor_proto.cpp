// A tensor as TensorProto: single values as typed fields, several as raw bytes, as TensorFlow writes constants.
#include "engine/formats/graph_def.h"

#include <complex>

namespace footlight::formats {
namespace {

template <class T, class Field>
void add_values(const Tensor& tensor, Field* field) {
  const T* data = tensor.data<T>();
  for (int64_t i = 0; i < tensor.elements(); ++i) field->Add(data[i]);
}

template <class T, class Field>
void add_complex(const Tensor& tensor, Field* field) {
  const auto* data = tensor.data<std::complex<T>>();
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    field->Add(data[i].real());
    field->Add(data[i].imag());
  }
}

bool written_as_bytes(DType dtype) {
  switch (dtype) {
    case DType::kFloat16: case DType::kBFloat16: case DType::kFloat32: case DType::kFloat64: case DType::kInt8:
    case DType::kInt16: case DType::kInt32: case DType::kInt64: case DType::kUInt8:
      return true;
    default:
      return false;
  }
}

}  // namespace

TensorProto to_tensor_proto(const Tensor& tensor) {
  TensorProto out;
  out.set_dtype(static_cast<DataType>(tensor.dtype()));
  TensorShapeProto* shape = out.mutable_tensor_shape();
  for (int64_t dim : tensor.shape().dims()) shape->add_dim()->set_size(dim);
  if (tensor.elements() > 1 && written_as_bytes(tensor.dtype())) {
    out.set_tensor_content(tensor.raw(), tensor.bytes());
    return out;
  }
  switch (tensor.dtype()) {
    case DType::kFloat32: add_values<float>(tensor, out.mutable_float_val()); break;
    case DType::kFloat64: add_values<double>(tensor, out.mutable_double_val()); break;
    case DType::kInt8: add_values<int8_t>(tensor, out.mutable_int_val()); break;
    case DType::kInt16: add_values<int16_t>(tensor, out.mutable_int_val()); break;
    case DType::kInt32: add_values<int32_t>(tensor, out.mutable_int_val()); break;
    case DType::kUInt8: add_values<uint8_t>(tensor, out.mutable_int_val()); break;
    case DType::kUInt16: add_values<uint16_t>(tensor, out.mutable_int_val()); break;
    case DType::kInt64: add_values<int64_t>(tensor, out.mutable_int64_val()); break;
    case DType::kUInt32: add_values<uint32_t>(tensor, out.mutable_uint32_val()); break;
    case DType::kUInt64: add_values<uint64_t>(tensor, out.mutable_uint64_val()); break;
    case DType::kBool: add_values<bool>(tensor, out.mutable_bool_val()); break;
    case DType::kComplex64: add_complex<float>(tensor, out.mutable_scomplex_val()); break;
    case DType::kComplex128: add_complex<double>(tensor, out.mutable_dcomplex_val()); break;
    case DType::kFloat16:
    case DType::kBFloat16: add_values<uint16_t>(tensor, out.mutable_half_val()); break;
    case DType::kString:
      for (int64_t i = 0; i < tensor.elements(); ++i) out.add_string_val(tensor.data<std::string>()[i]);
      break;
    default: break;
  }
  return out;
}

}  // namespace footlight::formats
