// Tensors as text, as TensorFlow's print op writes them.
#include "engine/tensor/print.h"

#include "engine/tensor/gpu.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace footlight {

namespace {

std::string digits(double value, int few, int many, bool (*same)(const char*, double)) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", few, value);
  if (!same(text, value)) std::snprintf(text, sizeof text, "%.*g", many, value);
  return text;
}

template <class T>
std::string element_text(const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    // Non-ASCII letters are kept; the rest is escaped.
    std::string out = "\"";
    for (size_t i = 0; i < value.size();) {
      const size_t start = i;
      while (i < value.size() && static_cast<unsigned char>(value[i]) >= 0x80) ++i;
      out.append(value, start, i - start);
      std::string quoted;
      const size_t plain = i;
      while (i < value.size() && static_cast<unsigned char>(value[i]) < 0x80) ++i;
      append_quoted(quoted, std::string_view(value).substr(plain, i - plain));
      out.append(quoted, 1, quoted.size() - 2);
    }
    return out += '"';
  } else if constexpr (std::is_same_v<T, bool>) return value ? "1" : "0";
  else if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>)
    return number_text(static_cast<float>(value));
  else if constexpr (std::is_floating_point_v<T>) return number_text(value);
  else if constexpr (std::is_integral_v<T>) return std::to_string(value);
  else return "?";  // complex numbers, as in TensorFlow
}

// Rows of the last dimension are on lines of their own; deeper ones are separated by empty lines. If there are no
// elements, or none are requested, the dots stay, after their gap.
template <class T>
void write(std::string& out, const T* data, std::span<const int64_t> dims, size_t depth, int64_t stride, int64_t ends) {
  if (depth == dims.size()) {
    out += element_text(*data);
    return;
  }
  const int64_t count = dims[depth];
  const int64_t inner = count > 0 ? stride / count : 0;
  const std::string gap = depth + 1 == dims.size()
                              ? " "
                              : std::string(dims.size() - depth - 1, '\n') + std::string(depth + 1, ' ');
  out += '[';
  for (int64_t i = 0; i < std::min(ends, count); ++i) {
    if (i > 0) out += gap;
    write(out, data + i * inner, dims, depth + 1, inner, ends);
  }
  if (count - ends > ends) out.append(gap).append("...");
  for (int64_t i = std::max(ends, count - ends); i < count; ++i) {
    out += gap;
    write(out, data + i * inner, dims, depth + 1, inner, ends);
  }
  out += ']';
}

template <class T>
std::string text_of(const Tensor& tensor, int64_t ends) {
  const auto dims = tensor.shape().dims();
  if (ends == 0 && std::is_same_v<T, bool>) return {};
  if (ends == 0 && dims.empty()) return "...";
  std::string out;
  write(out, tensor.data<T>(), dims, 0, tensor.elements(), ends);
  return out;
}

}  // namespace

std::string number_text(float value) {
  return digits(value, 6, 9, [](const char* text, double v) {
    return std::strtof(text, nullptr) == static_cast<float>(v);
  });
}
std::string number_text(double value) {
  return digits(value, 15, 17, [](const char* text, double v) { return std::strtod(text, nullptr) == v; });
}

std::string summary(const Tensor& value, int64_t ends) {
  const Tensor tensor = gpu::on_host(value);
  const int64_t count = tensor.elements();
  ends = ends < 0 ? count : std::min(ends, count);
  if (is_complex(tensor.dtype())) {  // counted, not written, as in TensorFlow
    std::string out;
    for (int64_t i = 0; i < ends; ++i) out += i ? " ?" : "?";
    if (ends < count) out += "...";
    return tensor.shape().rank() ? str("[", out, "]") : out;
  }
  if (tensor.dtype() == DType::kString) return text_of<std::string>(tensor, ends);
  if (!is_plain(tensor.dtype())) return str("<", name_of(tensor.dtype()), ">");
  std::string out;
  with_plain_type(tensor.dtype(), [&](auto zero) { out = text_of<decltype(zero)>(tensor, ends); });
  return out;
}

std::string first_elements(const Tensor& value, int64_t count, std::string_view between) {
  const Tensor tensor = gpu::on_host(value);
  const int64_t all = tensor.elements();
  const int64_t shown = count < 0 ? all : std::min(count, all);
  std::string out = "[";
  for (int64_t i = 0; i < shown; ++i) {
    if (i > 0) out += between;
    if (tensor.dtype() == DType::kString) out += tensor.data<std::string>()[i];
    else if (is_plain(tensor.dtype()))
      with_plain_type(tensor.dtype(),
                      [&](auto zero) { out += element_text(static_cast<decltype(zero)*>(tensor.raw())[i]); });
    else out += str("<", name_of(tensor.dtype()), ">");
  }
  return out + (shown < all ? "...]" : "]");
}

}  // namespace footlight
