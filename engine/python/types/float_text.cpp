// Digits of floating-point numbers: std::to_chars where it knows the type, a search for the two 16-bit ones.
#include "engine/python/types/float_text.h"

#include "engine/tensor/half.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace footlight::python {
namespace {

// "d.ddde+XX" -> Decimal
Decimal parse(const char* text, bool negative) {
  Decimal d;
  d.negative = negative;
  const char* at = text;
  for (; *at && *at != 'e'; ++at)
    if (*at >= '0' && *at <= '9') d.digits.push_back(*at);
  d.exponent = (*at == 'e' ? std::atoi(at + 1) : 0) + 1;
  while (!d.digits.empty() && d.digits.back() == '0') d.digits.pop_back();
  if (d.digits.empty()) d.exponent = 0;
  return d;
}

bool same(double value, double read, FloatKind kind) {
  if (kind == FloatKind::kHalf) return float{Float16(static_cast<float>(read))} == static_cast<float>(value);
  return float{BFloat16(static_cast<float>(read))} == static_cast<float>(value);
}

std::string padded(std::string digits, size_t length) {
  if (digits.size() < length) digits.append(length - digits.size(), '0');
  return digits;
}

}  // namespace

Decimal shortest(double value, FloatKind kind) {
  const bool negative = std::signbit(value);
  const double magnitude = std::fabs(value);
  char text[64];
  if (kind == FloatKind::kDouble || kind == FloatKind::kSingle) {
    const auto end =
        kind == FloatKind::kDouble
            ? std::to_chars(text, text + 63, magnitude, std::chars_format::scientific)
            : std::to_chars(text, text + 63, static_cast<float>(magnitude), std::chars_format::scientific);
    *end.ptr = 0;
    return parse(text, negative);
  }
  for (int places = 0; places < 6; ++places) {
    std::snprintf(text, sizeof text, "%.*e", places, magnitude);
    if (same(magnitude, std::atof(text), kind)) break;
  }
  return parse(text, negative);
}

Decimal limited(double value, FloatKind kind, int places) {
  Decimal d = shortest(value, kind);
  if (static_cast<int>(d.digits.size()) - d.exponent <= places) return d;
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", places, std::fabs(value));
  Decimal r;
  r.negative = d.negative;
  bool seen_point = false;
  int before = 0;
  for (const char* at = text; *at; ++at) {
    if (*at == '.') {
      seen_point = true;
    } else {
      r.digits.push_back(*at);
      before += !seen_point;
    }
  }
  const size_t zeros = std::min(r.digits.find_first_not_of('0'), r.digits.size());
  r.digits.erase(0, zeros);
  r.exponent = before - static_cast<int>(zeros);
  while (!r.digits.empty() && r.digits.back() == '0') r.digits.pop_back();
  if (r.digits.empty()) r.exponent = 0;
  return r;
}

Decimal limited_scientific(double value, FloatKind kind, int places) {
  Decimal d = shortest(value, kind);
  if (static_cast<int>(d.digits.size()) <= places + 1) return d;
  char text[64];
  std::snprintf(text, sizeof text, "%.*e", places, std::fabs(value));
  return parse(text, d.negative);
}

std::string positional(const Decimal& d, bool plus) {
  std::string out = d.negative ? "-" : plus ? "+" : "";
  if (d.exponent <= 0) {
    out += "0.";
    if (!d.digits.empty()) out.append(static_cast<size_t>(-d.exponent), '0').append(d.digits);
    return out;
  }
  const std::string digits = padded(d.digits, static_cast<size_t>(d.exponent));
  return out + digits.substr(0, static_cast<size_t>(d.exponent)) + "." +
         digits.substr(static_cast<size_t>(d.exponent));
}

ScientificText scientific(const Decimal& d, bool plus) {
  ScientificText t;
  t.whole = d.negative ? "-" : plus ? "+" : "";
  t.whole += d.digits.empty() ? '0' : d.digits[0];
  if (d.digits.size() > 1) t.fraction = d.digits.substr(1);
  const int e = d.digits.empty() ? 0 : d.exponent - 1;
  char text[16];
  std::snprintf(text, sizeof text, "%c%02d", e < 0 ? '-' : '+', std::abs(e));
  t.exponent = text;
  return t;
}

std::string scalar_text(double value, FloatKind kind) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (kind == FloatKind::kBFloat16) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
  }
  const Decimal d = shortest(value, kind);
  if (!d.digits.empty() && (d.exponent > 16 || d.exponent < -3)) {
    const ScientificText t = scientific(d, false);
    return t.whole + (t.fraction.empty() ? "" : "." + t.fraction) + "e" + t.exponent;
  }
  std::string out = positional(d, false);
  if (out.back() == '.') out += '0';
  return out;
}

}  // namespace footlight::python
