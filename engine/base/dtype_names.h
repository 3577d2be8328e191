// Names of the dtype numbers. The numbers are those of GraphDef (DT_FLOAT = 1, ...); they appear in cache keys
// and in recordings, so code that knows nothing of tensors reads them too.
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

namespace footlight {

struct DTypeNames {
  const char* name = "";          // "float32"; empty: no dtype has this number
  const char* graphdef = "";      // "DT_FLOAT"
  const char* short_name = "";    // "float", "half": the spelling in error messages and GraphDef listings
  const char* abbreviation = "";  // "f32"
};

inline constexpr DTypeNames kDTypeNames[] = {
    {"invalid", "DT_INVALID", "invalid", "invalid"},
    {"float32", "DT_FLOAT", "float", "f32"},
    {"float64", "DT_DOUBLE", "double", "f64"},
    {"int32", "DT_INT32", "int32", "i32"},
    {"uint8", "DT_UINT8", "uint8", "u8"},
    {"int16", "DT_INT16", "int16", "i16"},
    {"int8", "DT_INT8", "int8", "i8"},
    {"string", "DT_STRING", "string", "string"},
    {"complex64", "DT_COMPLEX64", "complex64", "c64"},
    {"int64", "DT_INT64", "int64", "i64"},
    {"bool", "DT_BOOL", "bool", "bool"},
    {},
    {},
    {},
    {"bfloat16", "DT_BFLOAT16", "bfloat16", "bf16"},
    {},
    {},
    {"uint16", "DT_UINT16", "uint16", "u16"},
    {"complex128", "DT_COMPLEX128", "complex128", "c128"},
    {"float16", "DT_HALF", "half", "f16"},
    {"resource", "DT_RESOURCE", "resource", "resource"},
    {"variant", "DT_VARIANT", "variant", "variant"},
    {"uint32", "DT_UINT32", "uint32", "u32"},
    {"uint64", "DT_UINT64", "uint64", "u64"},
};

inline constexpr const DTypeNames& dtype_names(uint8_t number) {
  return kDTypeNames[number < std::size(kDTypeNames) && *kDTypeNames[number].name ? number : 0];
}

// 0 when no dtype has this name.
constexpr uint8_t dtype_number(std::string_view name) {
  for (size_t i = 1; i < std::size(kDTypeNames); ++i)
    if (!name.empty() && name == kDTypeNames[i].name) return static_cast<uint8_t>(i);
  return 0;
}

}  // namespace footlight
