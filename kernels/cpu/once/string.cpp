// Kernels of strings and printing.
#include "kernels/cpu/register.h"

#include "engine/base/print_sink.h"
#include "engine/tensor/print.h"

#include <cinttypes>
#include <cstdio>

namespace footlight {
namespace FL_ISA {

namespace {

void format(KernelContext& c) {
  static const AttrName kTemplate{"template"};
  static const AttrName kPlaceholder{"placeholder"};
  static const AttrName kSummarize{"summarize"};
  const std::string text = c.attrs.get_or(kTemplate, std::string("%s"));
  const std::string placeholder = c.attrs.get_or(kPlaceholder, std::string("%s"));
  const int64_t ends = c.attrs.get_or(kSummarize, int64_t{3});
  std::string out;
  size_t at = 0;
  for (const Tensor& input : c.inputs) {
    const size_t next = placeholder.empty() ? std::string::npos : text.find(placeholder, at);
    if (next == std::string::npos)
      invalid("the template '", text, "' has fewer placeholders '", placeholder, "' than the ", c.inputs.size(),
              " tensors given [Op:StringFormat]");
    out.append(text, at, next - at);
    out += summary(input, ends);
    at = next + placeholder.size();
  }
  *c.out<std::string>() = out.append(text, at);
}

void print(KernelContext& c) {
  static const AttrName kStream{"output_stream"};
  static const AttrName kEnd{"end"};
  const std::string stream = c.attrs.get_or(kStream, std::string("stderr"));
  const std::string text = *c.in<std::string>(0) + c.attrs.get_or(kEnd, std::string("\n"));
  constexpr std::string_view kFile = "file://";
  if (stream.starts_with(kFile)) {
    FILE* file = std::fopen(stream.c_str() + kFile.size(), "ae");
    if (!file) invalid("cannot open the file of output_stream '", stream, "' [Op:PrintV2]");
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
    return;
  }
  if (stream != "stdout" && stream != "stderr" && !stream.starts_with("log("))
    invalid("output_stream is stdout, stderr, log(LEVEL) or file://PATH, not '", stream, "' [Op:PrintV2]");
  print_text(stream == "stdout" ? 1 : 2, text);
}

void join(KernelContext& c) {
  static const AttrName kSeparator{"separator"};
  const std::string separator = c.attrs.get_or(kSeparator, std::string());
  Shape shape;
  for (const Tensor& input : c.inputs)
    if (input.shape().rank() > 0) shape = input.shape();
  std::string* out = c.set_output(0, DType::kString, shape).data<std::string>();
  for (int64_t i = 0, n = shape.elements(); i < n; ++i) {
    for (size_t k = 0; k < c.inputs.size(); ++k) {
      if (k > 0) out[i] += separator;
      out[i] += c.in<std::string>(k)[c.inputs[k].shape().rank() > 0 ? i : 0];
    }
  }
}

void length(KernelContext& c) {
  static const AttrName kUnit{"unit"};
  const bool characters = c.attrs.get_or(kUnit, std::string("BYTE")) == "UTF8_CHAR";
  for (int64_t i = 0, n = c.outputs[0].elements(); i < n; ++i) {
    const std::string& s = c.in<std::string>(0)[i];
    int32_t count = 0;
    for (const char byte : s) count += !characters || (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
    c.out<int32_t>()[i] = count;
  }
}

template <class... Args>
std::string printed(const std::string& format, Args... args) {
  char text[512];
  const int size = std::snprintf(text, sizeof text, format.c_str(), args...);
  return std::string(text, static_cast<size_t>(std::min<int>(size, sizeof text - 1)));
}

template <class T>
std::string in_words(T value, const std::string& flags, const std::string& precision, char style) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    return printed("%" + flags + PRId64, static_cast<int64_t>(value));
  } else if constexpr (std::is_integral_v<T>) {
    return printed("%" + flags + PRIu64, static_cast<uint64_t>(value));
  } else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    const std::string one = "%" + flags + precision + style;
    return printed("(" + one + "," + one + ")", static_cast<double>(value.real()), static_cast<double>(value.imag()));
  } else {
    return printed("%" + flags + precision + style, static_cast<double>(value));
  }
}

void as_string(KernelContext& c) {
  static const AttrName kPrecision{"precision"};
  static const AttrName kScientific{"scientific"};
  static const AttrName kShortest{"shortest"};
  static const AttrName kWidth{"width"};
  static const AttrName kFill{"fill"};
  std::string* out = c.out<std::string>();
  const int64_t count = c.outputs[0].elements();
  const int64_t width = c.attrs.get_or(kWidth, int64_t{-1});
  if (c.inputs[0].dtype() == DType::kString) {
    const bool left = c.attrs.get_or(kFill, std::string()) == "-";
    for (int64_t i = 0; i < count; ++i) {
      const std::string& s = c.in<std::string>(0)[i];
      const auto blanks = static_cast<size_t>(std::max<int64_t>(width - static_cast<int64_t>(s.size()), 0));
      out[i] = left ? s + std::string(blanks, ' ') : std::string(blanks, ' ') + s;
    }
    return;
  }
  const int64_t precision = c.attrs.get_or(kPrecision, int64_t{-1});
  const char style = c.attrs.get_or(kScientific, false) ? 'e' : c.attrs.get_or(kShortest, false) ? 'g' : 'f';
  const std::string flags = c.attrs.get_or(kFill, std::string()) + (width > -1 ? std::to_string(width) : "");
  const std::string digits = precision > -1 ? "." + std::to_string(precision) : "";
  with_plain_type(c.inputs[0].dtype(), [&](auto zero) {
    const auto* in = c.in<decltype(zero)>(0);
    for (int64_t i = 0; i < count; ++i) out[i] = in_words(in[i], flags, digits, style);
  });
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("StringFormat", kAllTypes, format);
  on_cpu("PrintV2", kAllTypes, print);
  on_cpu("StringJoin", kAllTypes, join);
  on_cpu("StringLength", kAllTypes, length);
  on_cpu("AsString", kAllTypes, as_string);
}

}  // namespace FL_ISA
}  // namespace footlight
