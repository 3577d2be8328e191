// Kernels that transform, cut, hash and parse strings.
#include "kernels/cpu/elements.h"
#include "kernels/cpu/scalar/hash.h"
#include "kernels/cpu/scalar/strings.h"
#include "kernels/cpu/scalar/unicode.h"

#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdlib>

#include <locale.h>

namespace footlight::FL_ISA {

namespace {

template <class Change>
void each(KernelContext& c, Change&& change) {
  const std::string* in = c.in<std::string>(0);
  std::string* out = c.out<std::string>();
  for_strings(c.outputs[0].elements(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = change(in[i]);
  });
}

template <bool upper>
void change_case(KernelContext& c) {
  const bool unicode = !c.attrs.get_or("encoding"_attr, std::string()).empty();
  each(c, [&](const std::string& s) {
    if (unicode) return changed_case(s, upper);
    std::string out = s;
    for (char& b : out)
      if (static_cast<unsigned char>(b) < 0x80)
        b = static_cast<char>(upper ? to_upper_code(static_cast<unsigned char>(b))
                                    : to_lower_code(static_cast<unsigned char>(b)));
    return out;
  });
}

constexpr std::string_view kBlanks = " \t\n\v\f\r";

std::string_view stripped(std::string_view s) {
  const size_t begin = s.find_first_not_of(kBlanks);
  if (begin == s.npos) return {};
  return s.substr(begin, s.find_last_not_of(kBlanks) - begin + 1);
}

void strip(KernelContext& c) { each(c, [](const std::string& s) { return std::string(stripped(s)); }); }

// The byte offsets of characters `begin` and on, from each one's first byte.
std::vector<size_t> character_places(std::string_view s) {
  std::vector<size_t> out;
  for (size_t i = 0; i < s.size(); ++i)
    if ((static_cast<unsigned char>(s[i]) & 0xc0) != 0x80) out.push_back(i);
  out.push_back(s.size());
  return out;
}

// Returns up to `len` characters from `pos` on. Negative positions count from the end.
std::string_view part(std::string_view s, int64_t pos, int64_t len, bool characters, int64_t index) {
  const auto out_of_range = [&] {
    invalid("pos ", pos, " out of range for string at index ", index, " [Op:Substr]");
  };
  const auto bounds = [&](int64_t size) {
    if (pos > size || pos < -size) out_of_range();
    const int64_t begin = pos < 0 ? pos + size : pos;
    const int64_t end = len < 0 || len > size - begin ? size : begin + len;
    return std::pair(static_cast<size_t>(begin), static_cast<size_t>(end));
  };
  if (!characters) {
    const auto [begin, end] = bounds(static_cast<int64_t>(s.size()));
    return s.substr(begin, end - begin);
  }
  const std::vector<size_t> places = character_places(s);
  const auto [begin, end] = bounds(static_cast<int64_t>(places.size()) - 1);
  return s.substr(places[begin], places[end] - places[begin]);
}

void substr(KernelContext& c) {
  const bool characters = c.attrs.get_or("unit"_attr, std::string("BYTE")) == "UTF8_CHAR";
  const Shape& out = c.outputs[0].shape();
  const auto strides = [&](const Shape& s) {
    std::vector<int64_t> by(static_cast<size_t>(out.rank()), 0);
    int64_t stride = 1;
    for (int d = s.rank() - 1; d >= 0; --d) {
      if (s[d] != 1) by[static_cast<size_t>(d + out.rank() - s.rank())] = stride;
      stride *= s[d];
    }
    return by;
  };
  const std::vector<int64_t> of_text = strides(c.inputs[0].shape()), of_pos = strides(c.inputs[1].shape());
  const std::string* in = c.in<std::string>(0);
  std::string* to = c.out<std::string>();
  const bool one_place = c.inputs[1].elements() == 1 && c.inputs[0].elements() == c.outputs[0].elements();
  for_strings(c.outputs[0].elements(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t rest = i, text = one_place ? i : 0, pos = 0;
      for (int d = one_place ? -1 : out.rank() - 1; d >= 0; --d) {
        const int64_t here = rest % out[d];
        rest /= out[d];
        text += here * of_text[static_cast<size_t>(d)];
        pos += here * of_pos[static_cast<size_t>(d)];
      }
      const std::string_view found =
          part(in[text], int_at(c.inputs[1], pos), int_at(c.inputs[2], pos), characters, i);
      to[i].assign(found.data(), found.size());
    }
  });
}

// Reads digits, possibly with a decimal point, by one division, which is exact if both numbers are.
bool read_short(std::string_view s, float& out) {
  static constexpr float kPowers[] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f, 1e9f, 1e10f};
  uint32_t digits = 0;
  size_t point = s.size(), count = 0;
  const bool negative = s.starts_with('-');
  for (size_t i = negative; i < s.size(); ++i) {
    const auto digit = static_cast<unsigned char>(s[i] - '0');
    if (digit < 10) {
      digits = digits * 10 + digit;
      ++count;
    } else if (s[i] == '.' && point == s.size()) {
      point = i;
    } else {
      return false;
    }
  }
  if (count == 0 || count > 9 || digits > 1u << 24) return false;
  const size_t decimals = point == s.size() ? 0 : s.size() - point - 1;
  const float value = static_cast<float>(digits) / kPowers[decimals];
  out = negative ? -value : value;
  return true;
}

template <class T>
bool read_number(const std::string& text, T& out) {
  if constexpr (std::is_integral_v<T>) {
    std::string_view s = stripped(text);
    if (s.starts_with('+')) s.remove_prefix(1);
    if (s.starts_with('-') && s.data() > text.data() && s.data()[-1] == '+') return false;
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), out);
    return error == std::errc() && end == s.data() + s.size();
  } else {
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
    const std::string_view plainly = stripped(text);
    if constexpr (std::is_same_v<T, float>)
      if (read_short(plainly, out)) return true;
    const auto [last, error] = std::from_chars(plainly.data(), plainly.data() + plainly.size(), out);
    if (error == std::errc() && last == plainly.data() + plainly.size() && std::isfinite(out)) return true;
    const std::string s(plainly);  // left to the library: signs, hexadecimals, numbers too large or too small
    if (s.empty() || s.find('\0') != s.npos || s.find('(') != s.npos) return false;
    char* end;
    if constexpr (std::is_same_v<T, float>)
      out = strtof_l(s.c_str(), &end, plain);
    else
      out = strtod_l(s.c_str(), &end, plain);
    return end == s.c_str() + s.size();
  }
}

template <class T>
void to_number(KernelContext& c) {
  const std::string* in = c.in<std::string>(0);
  T* out = c.out<T>();
  for_strings(c.outputs[0].elements(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      if (!read_number(in[i], out[i]))
        invalid("StringToNumberOp could not correctly convert string: ", in[i], " to ", name_of(dtype_of<T>),
                " [Op:StringToNumber]");
  });
}

template <class Hash>
void buckets(KernelContext& c, Hash&& hash) {
  const auto n = static_cast<uint64_t>(c.attrs.get<int64_t>("num_buckets"_attr));
  const std::string* in = c.in<std::string>(0);
  int64_t* out = c.out<int64_t>();
  for_strings(c.outputs[0].elements(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = static_cast<int64_t>(hash(in[i]) % n);
  });
}

void to_bucket(KernelContext& c) { buckets(c, bucket_hash64); }
void to_bucket_fast(KernelContext& c) { buckets(c, fingerprint64); }
void to_bucket_strong(KernelContext& c) {
  const auto& key = c.attrs.get<std::vector<int64_t>>("key"_attr);
  buckets(c, [&](const std::string& s) {
    return sip_hash(static_cast<uint64_t>(key[0]), static_cast<uint64_t>(key[1]), s);
  });
}

// The dimension named first varies fastest.
void reduce_join(KernelContext& c) {
  const Shape& in = c.inputs[0].shape();
  const std::string separator = c.attrs.get_or("separator"_attr, std::string());
  std::vector<int> axes;
  for (int64_t a : ints_of(c.inputs[1])) axes.push_back(static_cast<int>(from_end(a, in.rank())));
  std::vector<int> kept;
  Shape out_shape;
  for (int d = 0; d < in.rank(); ++d) {
    const bool joined = std::find(axes.begin(), axes.end(), d) != axes.end();
    if (!joined) {
      kept.push_back(d);
      out_shape.append(in[d]);
    } else if (c.attrs.get_or("keep_dims"_attr, false)) {
      out_shape.append(1);
    }
  }
  const auto stride = [&](int d) { return product(in, d + 1, in.rank()); };
  int64_t many = 1;
  for (int a : axes) many *= in[a];
  Tensor& out = c.set_output(0, DType::kString, out_shape);
  for (int64_t i = 0, n = out.elements(); i < n; ++i) {
    int64_t base = 0, rest = i;
    for (size_t k = kept.size(); k-- > 0;) {
      base += rest % in[kept[k]] * stride(kept[k]);
      rest /= in[kept[k]];
    }
    std::string& to = out.data<std::string>()[i];
    for (int64_t j = 0; j < many; ++j) {
      int64_t at = base, left = j;
      for (int a : axes) {
        at += left % in[a] * stride(a);
        left /= in[a];
      }
      if (j > 0) to += separator;
      to += c.in<std::string>(0)[at];
    }
  }
}

}  // namespace

FL_CPU_KERNELS {
  constexpr uint32_t kText = bit_of(DType::kString);
  on_cpu("StringLower", kText, change_case<false>);
  on_cpu("StringUpper", kText, change_case<true>);
  on_cpu("StringStrip", kText, strip);
  on_cpu("Substr", kText, substr);
  on_cpu("StringToNumber", bit_of(DType::kFloat32), to_number<float>);
  on_cpu("StringToNumber", bit_of(DType::kFloat64), to_number<double>);
  on_cpu("StringToNumber", bit_of(DType::kInt32), to_number<int32_t>);
  on_cpu("StringToNumber", bit_of(DType::kInt64), to_number<int64_t>);
  on_cpu("StringToNumber", bit_of(DType::kUInt32), to_number<uint32_t>);
  on_cpu("StringToNumber", bit_of(DType::kUInt64), to_number<uint64_t>);
  on_cpu("StringToHashBucket", kText, to_bucket);
  on_cpu("StringToHashBucketFast", kText, to_bucket_fast);
  on_cpu("StringToHashBucketStrong", kText, to_bucket_strong);
  on_cpu("ReduceJoin", kText, reduce_join);
}

}  // namespace footlight::FL_ISA
