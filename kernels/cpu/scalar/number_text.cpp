// Formats numbers with the digits of printf: those with a fixed number of decimals from one product of integers,
// which is exact, all others by the library.
#include "kernels/cpu/scalar/strings.h"

#include <bit>
#include <charconv>
#include <cstdio>

namespace footlight {

namespace {

constexpr int kMaxDecimals = 17;

// Writes the number and returns the end of the text; null if the number is too large or has too many decimals for this
// method.
char* print_fixed(double value, int precision, char* to) {
  if (precision > kMaxDecimals) return nullptr;
  constexpr uint64_t kUnit = uint64_t{1} << 52;
  const auto bits = std::bit_cast<uint64_t>(value);
  const int power = static_cast<int>(bits >> 52 & 0x7ff);
  if (power == 0x7ff) return nullptr;
  const uint64_t mantissa = power ? kUnit | (bits & (kUnit - 1)) : bits & (kUnit - 1);
  const int exponent = (power ? power : 1) - 1075;  // value = mantissa * 2^exponent
  static constexpr auto kPowers = [] {
    struct {
      uint64_t of[kMaxDecimals + 1] = {1};
    } p;
    for (int k = 1; k <= kMaxDecimals; ++k) p.of[k] = p.of[k - 1] * 10;
    return p;
  }();
  const uint64_t scale = kPowers.of[precision];
  uint64_t whole, decimals = 0;
  if (exponent >= 0) {
    if (exponent > 10) return nullptr;
    whole = mantissa << exponent;
  } else {
    __extension__ using Wide = unsigned __int128;
    const int drop = -exponent;
    Wide scaled = 0;
    if (drop < 112) {  // else it rounds to 0: the product has at most 110 bits
      const Wide product = static_cast<Wide>(mantissa) * scale;
      const Wide rest = product & ((Wide{1} << drop) - 1), half = Wide{1} << (drop - 1);
      scaled = product >> drop;
      scaled += rest > half || (rest == half && (scaled & 1));
    }
    if (scaled >> 64) return nullptr;
    whole = static_cast<uint64_t>(scaled) / scale;
    decimals = static_cast<uint64_t>(scaled) % scale;
  }
  if (bits >> 63) *to++ = '-';
  if (whole < 10) *to++ = static_cast<char>('0' + whole);
  else to = std::to_chars(to, to + 20, whole).ptr;
  if (precision > 0) {
    *to++ = '.';
    for (int k = precision - 1; k >= 0; --k, decimals /= 10) to[k] = static_cast<char>('0' + decimals % 10);
    to += precision;
  }
  return to;
}

}  // namespace

void print_number(double value, char style, int precision, std::string& out) {
  char text[512];
  char* end = style == 'f' ? print_fixed(value, precision, text) : nullptr;
  if (!end) {
    const auto format = style == 'f'   ? std::chars_format::fixed
                        : style == 'e' ? std::chars_format::scientific
                                       : std::chars_format::general;
    const auto [last, error] = std::to_chars(text, text + sizeof text, value, format, precision);
    if (error != std::errc()) {
      const char pattern[] = {'%', '.', '*', style, '\0'};
      out.resize(static_cast<size_t>(std::snprintf(nullptr, 0, pattern, precision, value)));
      std::snprintf(out.data(), out.size() + 1, pattern, precision, value);
      return;
    }
    end = last;
  }
  out.assign(text, end);
}

}  // namespace footlight
