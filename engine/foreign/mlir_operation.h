// One printed operation of MLIR, taken apart: results, name, operands, types, location.
#pragma once

#include "engine/foreign/scan.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace footlight::foreign {

// "%9:6 = stablehlo.while(%a = %1, ...) : tensor<i32>, ... loc(#loc3)". Texts are parts of the line.
struct MlirOperation {
  std::vector<std::pair<std::string_view, uint32_t>> results;  // "9", and how many values have that name
  std::string_view name;                                       // "stablehlo.while"
  std::string_view body;                                       // what stands between the name and the types
  std::string_view types;                                      // behind the last colon outside of brackets
  std::string_view location;                                   // what stands behind "loc(", if anything
  bool opens_region = false;

  uint32_t values() const;
};

MlirOperation mlir_operation(std::string_view line);
// Takes " loc(...)" off the end of a line, and returns what stands in it.
std::string_view take_location(std::string_view& line);
// The types of `values` results, from the text of types: "(tensor<4xf32>) -> tensor<4xf32>" or "tensor<4xf32>".
std::vector<std::string> result_types(std::string_view types, uint32_t values);
// "tensor<4x16xf32>" -> "float32 (4, 16)".
std::string mlir_type_text(std::string_view type);
// "%arg0: tensor<4xf32> {a = 1}, %arg1: tensor<i32> loc("x")": names and types.
std::vector<std::pair<std::string_view, std::string>> mlir_arguments(std::string_view list);
constexpr std::string_view kMlirNameLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.-";

// Calls visit("9", 2) for each "%9#2" outside of strings; of "%iterArg = %1" both are visited.
template <class Visit>
void for_each_value(std::string_view text, const Visit& visit) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      i = behind_string(text, i) - 1;
    } else if (text[i] == '%') {
      const size_t end = std::min(text.find_first_not_of(kMlirNameLetters, i + 1), text.size());
      uint64_t part = 0;
      size_t behind = end;
      if (behind < text.size() && text[behind] == '#')
        for (++behind; behind < text.size() && is_digit(text[behind]) && part < 65'536; ++behind)
          part = part * 10 + static_cast<uint64_t>(text[behind] - '0');
      visit(text.substr(i + 1, end - i - 1), static_cast<uint32_t>(part));
      i = behind - 1;
    }
  }
}

}  // namespace footlight::foreign
