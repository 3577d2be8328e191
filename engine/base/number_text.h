// A number for people: six digits, and NaN, +Inf and -Inf by these names.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>

namespace footlight {

inline std::string number_text(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Inf" : "+Inf";
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", number);
  return text;
}

}  // namespace footlight
