// PyTorch's names for types of elements, in the words of this program.
#pragma once

#include <cstdint>
#include <string_view>

namespace footlight::foreign {

struct TensorType {
  std::string_view name;  // "bfloat16"; empty: unknown
  uint64_t bytes = 0;     // of an element
};

inline TensorType tensor_type(std::string_view type) {
  struct Named { std::string_view torch; TensorType type; };
  static constexpr Named kTypes[] = {
      {"float", {"float32", 4}},          {"double", {"float64", 8}},   {"c10::Half", {"float16", 2}},
      {"c10::BFloat16", {"bfloat16", 2}}, {"long int", {"int64", 8}},   {"long", {"int64", 8}},
      {"int", {"int32", 4}},              {"short int", {"int16", 2}},  {"short", {"int16", 2}},
      {"signed char", {"int8", 1}},       {"unsigned char", {"uint8", 1}}, {"bool", {"bool", 1}},
      {"c10::complex<float>", {"complex64", 8}}, {"c10::complex<double>", {"complex128", 16}},
      {"c10::Float8_e4m3fn", {"float8_e4m3fn", 1}}, {"c10::Float8_e5m2", {"float8_e5m2", 1}}};
  for (const Named& named : kTypes)
    if (named.torch == type) return named.type;
  return {};
}

}  // namespace footlight::foreign
