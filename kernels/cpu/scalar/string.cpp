// Kernels of strings and printing.
#include "kernels/cpu/scalar/strings.h"
#include "kernels/cpu/register.h"

#include "engine/base/print_sink.h"
#include "engine/tensor/print.h"

#include <charconv>
#include <cinttypes>
#include <cstdio>

namespace footlight::FL_ISA {

namespace {

void format(KernelContext& c) {
  const std::string text = c.attrs.get_or("template"_attr, std::string("%s"));
  const std::string placeholder = c.attrs.get_or("placeholder"_attr, std::string("%s"));
  const int64_t ends = c.attrs.get_or("summarize"_attr, int64_t{3});
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
  const std::string stream = c.attrs.get_or("output_stream"_attr, std::string("stderr"));
  const std::string text = *c.in<std::string>(0) + c.attrs.get_or("end"_attr, std::string("\n"));
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
  const std::string separator = c.attrs.get_or("separator"_attr, std::string());
  Shape shape;
  for (const Tensor& input : c.inputs)
    if (input.shape().rank() > 0) shape = input.shape();
  std::string* out = c.set_output(0, DType::kString, shape).data<std::string>();
  for_strings(shape.elements(), [&](int64_t begin, int64_t end) {
    const auto part = [&](size_t k, int64_t i) -> const std::string& {
      return c.in<std::string>(k)[c.inputs[k].shape().rank() > 0 ? i : 0];
    };
    std::string joined;
    for (int64_t i = begin; i < end; ++i) {
      joined.clear();
      for (size_t k = 0; k < c.inputs.size(); ++k) {
        if (k > 0) joined += separator;
        joined += part(k, i);
      }
      out[i] = std::string(joined);  // a copy has exact capacity, a grown string has more
    }
  });
}

void length(KernelContext& c) {
  const bool characters = c.attrs.get_or("unit"_attr, std::string("BYTE")) == "UTF8_CHAR";
  const std::string* in = c.in<std::string>(0);
  int32_t* out = c.out<int32_t>();
  for_strings(c.outputs[0].elements(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      size_t count = in[i].size();
      if (characters)
        for (const char byte : in[i]) count -= (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
      out[i] = static_cast<int32_t>(count);
    }
  });
}

template <class... Args>
void print(std::string& out, const std::string& format, Args... args) {
  out.resize(static_cast<size_t>(std::snprintf(nullptr, 0, format.c_str(), args...)));
  std::snprintf(out.data(), out.size() + 1, format.c_str(), args...);
}

// How numbers are printed: `flags` precede the precision in printf formats, -1 is printf's default.
struct NumberStyle {
  std::string flags;
  int precision;
  char style;
};

template <class T>
void in_words(T value, const NumberStyle& as, std::string& out) {
  if constexpr (std::is_same_v<T, bool>) {
    out = value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    if (as.flags.empty()) {
      char text[24];
      out.assign(text, std::to_chars(text, text + sizeof text, value).ptr);
    } else if constexpr (std::is_signed_v<T>) {
      print(out, "%" + as.flags + PRId64, static_cast<int64_t>(value));
    } else {
      print(out, "%" + as.flags + PRIu64, static_cast<uint64_t>(value));
    }
  } else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    std::string parts[2];
    in_words(static_cast<double>(value.real()), as, parts[0]);
    in_words(static_cast<double>(value.imag()), as, parts[1]);
    out = "(" + parts[0] + "," + parts[1] + ")";
  } else {
    const auto number = static_cast<double>(value);
    if (as.flags.empty()) return print_number(number, as.style, as.precision < 0 ? 6 : as.precision, out);
    const std::string digits = as.precision < 0 ? "" : "." + std::to_string(as.precision);
    print(out, "%" + as.flags + digits + as.style, number);
  }
}

void as_string(KernelContext& c) {
  std::string* out = c.out<std::string>();
  const int64_t count = c.outputs[0].elements();
  const int64_t width = c.attrs.get_or("width"_attr, int64_t{-1});
  if (c.inputs[0].dtype() == DType::kString) {
    const bool left = c.attrs.get_or("fill"_attr, std::string()) == "-";
    for_strings(count, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const std::string& s = c.in<std::string>(0)[i];
        const auto blanks = static_cast<size_t>(std::max<int64_t>(width - static_cast<int64_t>(s.size()), 0));
        out[i] = left ? s + std::string(blanks, ' ') : std::string(blanks, ' ') + s;
      }
    });
    return;
  }
  const NumberStyle as{
      .flags = c.attrs.get_or("fill"_attr, std::string()) + (width > -1 ? std::to_string(width) : ""),
      .precision = static_cast<int>(c.attrs.get_or("precision"_attr, int64_t{-1})),
      .style = c.attrs.get_or("scientific"_attr, false) ? 'e' : c.attrs.get_or("shortest"_attr, false) ? 'g' : 'f'};
  with_plain_type(c.inputs[0].dtype(), [&](auto zero) {
    const auto* in = c.in<decltype(zero)>(0);
    for_strings(count, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) in_words(in[i], as, out[i]);
    });
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

}  // namespace footlight::FL_ISA
