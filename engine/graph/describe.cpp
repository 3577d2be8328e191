// Tensors and attributes as one line of text.
#include "engine/graph/describe.h"

#include "engine/base/constant_text.h"
#include "engine/base/hash128.h"

#include <charconv>
#include <cstring>

namespace footlight {
namespace {

// Writes each number as the shortest text that reads back as the same one.
template <class T>
std::string join(const T* data, int64_t count, size_t limit) {
  std::string out;
  for (int64_t i = 0; i < count && out.size() <= limit; ++i) {
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, data[i]);
    out += (i ? ", " : "") + std::string(text, end.ptr);
  }
  return out;
}

std::string elements_text(const Tensor& t, size_t limit) {
  const int64_t n = t.elements();
  switch (t.dtype()) {
    case DType::kFloat32: return join(t.data<float>(), n, limit);
    case DType::kFloat64: return join(t.data<double>(), n, limit);
    case DType::kInt32: return join(t.data<int32_t>(), n, limit);
    case DType::kInt64: {
      std::string out;
      for (int64_t i = 0; i < n && out.size() <= limit; ++i)
        out += (i ? ", " : "") + std::to_string(t.data<int64_t>()[i]);
      return out;
    }
    case DType::kInt8: return join(t.data<int8_t>(), n, limit);
    case DType::kUInt8: return join(t.data<uint8_t>(), n, limit);
    case DType::kInt16: return join(t.data<int16_t>(), n, limit);
    case DType::kUInt16: return join(t.data<uint16_t>(), n, limit);
    case DType::kBool: {
      std::string out;
      for (int64_t i = 0; i < n && out.size() <= limit; ++i)
        out += std::string(i ? ", " : "") + (t.data<bool>()[i] ? "True" : "False");
      return out;
    }
    case DType::kString: {
      std::string out;
      for (int64_t i = 0; i < n && out.size() <= limit; ++i)
        out += (i ? ", '" : "'") + t.data<std::string>()[i].substr(0, limit) + '\'';
      return out;
    }
    default: return "...";
  }
}

}  // namespace

std::string describe(DType dtype, const Shape& shape) {
  return std::string(name_of(dtype)) + ' ' + shape.to_string();
}

// Hashes the bytes, or the strings.
static std::string hash_text(const Tensor& tensor) {
  Hasher128 hasher;
  if (is_plain(tensor.dtype())) {
    hasher.add(std::string_view(static_cast<const char*>(tensor.raw()), tensor.bytes()));
  } else if (tensor.dtype() == DType::kString) {
    for (int64_t i = 0; i < tensor.elements(); ++i) hasher.add(tensor.data<std::string>()[i]);
  } else {
    return {};
  }
  return " #" + hasher.result().hex().substr(0, 16);
}

// Whether all elements are equal, as in tf.constant(0.5, shape=...).
static bool all_equal(const Tensor& tensor) {
  if (!is_plain(tensor.dtype()) || tensor.elements() < 2) return false;
  const auto* bytes = static_cast<const char*>(tensor.raw());
  const size_t one = tensor.bytes() / static_cast<size_t>(tensor.elements());
  return std::memcmp(bytes, bytes + one, tensor.bytes() - one) == 0;
}

std::string describe_value(const Tensor& tensor, size_t limit) {
  std::string text = elements_text(tensor, limit);
  if (text.size() > limit) text = text.substr(0, limit) + "...";
  const bool complete = text.find("...") == std::string::npos;  // also the placeholder for dtypes that have no text
  if (tensor.shape().rank() > 0) text = '[' + text + "] " + describe(tensor.dtype(), tensor.shape());
  return complete ? text : text + (all_equal(tensor) ? kAllEqual : hash_text(tensor));
}

// The shortest text that reads back as the same number, and never as an integer: "0.2", "1.0", "1e-07".
static std::string exact_text(float value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value);
  std::string out(text, end.ptr);
  if (out.find_first_not_of("-0123456789") == std::string::npos) out += ".0";
  return out;
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
    if (auto v = std::get_if<float>(&value)) out += exact_text(*v);
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
    if (auto v = std::get_if<std::vector<float>>(&value)) list(*v, [](float f) { return exact_text(f); });
    if (auto v = std::get_if<std::vector<std::string>>(&value)) list(*v, [](const std::string& s) { return s; });
    if (auto v = std::get_if<std::vector<DType>>(&value)) list(*v, [](DType d) { return name_of(d); });
    if (auto v = std::get_if<std::vector<Shape>>(&value)) list(*v, [](const Shape& s) { return s.to_string(); });
  }
  return out;
}

}  // namespace footlight
