// The text of one floating-point number: shortest digits that read back as the same number, laid out NumPy's
// way.
#pragma once

#include <string>

namespace footlight::python {

// The type whose neighbours decide how many digits are needed.
enum class FloatKind { kHalf, kBFloat16, kSingle, kDouble };

// 0.digits * 10^exponent, no trailing zeros ("" is zero); `negative` also for -0.0.
struct Decimal {
  std::string digits;
  int exponent = 0;
  bool negative = false;
};
Decimal shortest(double value, FloatKind);
// At most `places` digits after the point: the shortest form where it fits, else the exact value rounded.
Decimal limited(double value, FloatKind, int places);
// The same, counted after the first digit.
Decimal limited_scientific(double value, FloatKind, int places);

// "12.", "0.25", "-3.": no trailing zeros, the point stays.
std::string positional(const Decimal&, bool plus);
struct ScientificText {
  std::string whole, fraction, exponent;  // "-1", "25", "+05"
};
ScientificText scientific(const Decimal&, bool plus);

// repr() of Python for a double; str() of NumPy's scalars for the others: "1.0", "1e+20", "nan".
std::string scalar_text(double value, FloatKind);

}  // namespace footlight::python
