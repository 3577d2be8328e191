// Single values as typed fields, several as raw bytes, as TensorFlow writes constants.
#include "engine/graph/tensor_proto.h"

#include "engine/graph/graphdef.h"

#include <complex>
#include <cstdio>

namespace footlight {
namespace {

using proto::Message;

template <class T>
void add_values(Message& message, const Tensor& tensor, const char* field) {
  const T* data = tensor.data<T>();
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    if constexpr (std::is_floating_point_v<T>)
      message.add(field, static_cast<double>(data[i]));
    else
      message.add(field, static_cast<int64_t>(data[i]));
  }
}

template <class T>
void add_complex(Message& message, const Tensor& tensor, const char* field) {
  const auto* data = tensor.data<std::complex<T>>();
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    message.add(field, static_cast<double>(data[i].real()));
    message.add(field, static_cast<double>(data[i].imag()));
  }
}

bool goes_as_bytes(DType dtype) {
  switch (dtype) {
    case DType::kFloat16: case DType::kBFloat16: case DType::kFloat32: case DType::kFloat64: case DType::kInt8:
    case DType::kInt16: case DType::kInt32: case DType::kInt64: case DType::kUInt8:
      return true;
    default:
      return false;
  }
}

template <class T>
std::string join(const T* data, int64_t count, size_t limit, const char* format) {
  std::string out;
  for (int64_t i = 0; i < count && out.size() < limit; ++i) {
    char text[64];
    std::snprintf(text, sizeof text, format, data[i]);
    out += (i ? ", " : "") + std::string(text);
  }
  return out;
}

std::string elements_text(const Tensor& t, size_t limit) {
  const int64_t n = t.elements();
  switch (t.dtype()) {
    case DType::kFloat32: return join(t.data<float>(), n, limit, "%.7g");
    case DType::kFloat64: return join(t.data<double>(), n, limit, "%.12g");
    case DType::kInt32: return join(t.data<int32_t>(), n, limit, "%d");
    case DType::kInt64: {
      std::string out;
      for (int64_t i = 0; i < n && out.size() < limit; ++i)
        out += (i ? ", " : "") + std::to_string(t.data<int64_t>()[i]);
      return out;
    }
    case DType::kInt8: return join(t.data<int8_t>(), n, limit, "%d");
    case DType::kUInt8: return join(t.data<uint8_t>(), n, limit, "%d");
    case DType::kInt16: return join(t.data<int16_t>(), n, limit, "%d");
    case DType::kUInt16: return join(t.data<uint16_t>(), n, limit, "%d");
    case DType::kBool: {
      std::string out;
      for (int64_t i = 0; i < n && out.size() < limit; ++i)
        out += std::string(i ? ", " : "") + (t.data<bool>()[i] ? "True" : "False");
      return out;
    }
    case DType::kString: {
      std::string out;
      for (int64_t i = 0; i < n && out.size() < limit; ++i)
        out += (i ? ", '" : "'") + t.data<std::string>()[i].substr(0, limit) + '\'';
      return out;
    }
    default: return "...";
  }
}

}  // namespace

void fill_tensor_proto(Message& message, const Tensor& tensor) {
  message.add("dtype", static_cast<int64_t>(tensor.dtype()));
  Message& shape = message.add("tensor_shape");
  for (int64_t dim : tensor.shape().dims()) {
    Message& d = shape.add("dim");
    if (dim) d.add("size", dim);
  }
  if (tensor.elements() > 1 && goes_as_bytes(tensor.dtype())) {
    message.add("tensor_content", std::string(static_cast<const char*>(tensor.raw()), tensor.bytes()));
    return;
  }
  switch (tensor.dtype()) {
    case DType::kFloat32: return add_values<float>(message, tensor, "float_val");
    case DType::kFloat64: return add_values<double>(message, tensor, "double_val");
    case DType::kInt8: return add_values<int8_t>(message, tensor, "int_val");
    case DType::kInt16: return add_values<int16_t>(message, tensor, "int_val");
    case DType::kInt32: return add_values<int32_t>(message, tensor, "int_val");
    case DType::kUInt8: return add_values<uint8_t>(message, tensor, "int_val");
    case DType::kUInt16: return add_values<uint16_t>(message, tensor, "int_val");
    case DType::kInt64: return add_values<int64_t>(message, tensor, "int64_val");
    case DType::kUInt32: return add_values<uint32_t>(message, tensor, "uint32_val");
    case DType::kUInt64: return add_values<uint64_t>(message, tensor, "uint64_val");
    case DType::kBool: return add_values<bool>(message, tensor, "bool_val");
    case DType::kComplex64: return add_complex<float>(message, tensor, "scomplex_val");
    case DType::kComplex128: return add_complex<double>(message, tensor, "dcomplex_val");
    case DType::kFloat16:
    case DType::kBFloat16: return add_values<uint16_t>(message, tensor, "half_val");
    case DType::kString:
      for (int64_t i = 0; i < tensor.elements(); ++i) message.add("string_val", tensor.data<std::string>()[i]);
      return;
    default: return;
  }
}

std::string describe(DType dtype, const Shape& shape) {
  return std::string(name_of(dtype)) + ' ' + shape.to_string();
}

std::string describe_value(const Tensor& tensor, size_t limit) {
  std::string text = elements_text(tensor, limit);
  if (text.size() > limit) text = text.substr(0, limit) + "...";
  if (tensor.shape().rank() == 0) return text;
  return '[' + text + "] " + describe(tensor.dtype(), tensor.shape());
}

std::string describe_attrs(const Node& node) {
  std::string out;
  for (const auto& [name, value] : node.attrs) {
    if (std::holds_alternative<Tensor>(value)) continue;
    if (!out.empty()) out += "; ";
    out += name.text();
    out += '=';
    if (auto v = std::get_if<bool>(&value)) out += *v ? "true" : "false";
    if (auto v = std::get_if<int64_t>(&value)) out += std::to_string(*v);
    if (auto v = std::get_if<float>(&value)) out += std::to_string(*v);
    if (auto v = std::get_if<std::string>(&value)) out += *v;
    if (auto v = std::get_if<DType>(&value)) out += name_of(*v);
    if (auto v = std::get_if<Shape>(&value)) out += v->to_string();
    if (auto v = std::get_if<GraphPtr>(&value)) out += (*v)->name();
    auto list = [&](const auto& items, auto text) {
      out += '[';
      for (size_t i = 0; i < items.size(); ++i) out += (i ? "," : "") + std::string(text(items[i]));
      out += ']';
    };
    if (auto v = std::get_if<std::vector<int64_t>>(&value)) list(*v, [](int64_t i) { return std::to_string(i); });
    if (auto v = std::get_if<std::vector<float>>(&value)) list(*v, [](float f) { return std::to_string(f); });
    if (auto v = std::get_if<std::vector<std::string>>(&value)) list(*v, [](const std::string& s) { return s; });
    if (auto v = std::get_if<std::vector<DType>>(&value)) list(*v, [](DType d) { return name_of(d); });
    if (auto v = std::get_if<std::vector<Shape>>(&value)) list(*v, [](const Shape& s) { return s.to_string(); });
  }
  return out;
}

}  // namespace footlight
