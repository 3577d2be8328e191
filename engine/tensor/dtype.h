// The dtypes, their names and sizes, numbered as in GraphDef (DT_FLOAT = 1, ...).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace footlight {

enum class DType : uint8_t {
  kInvalid = 0,
  kFloat32 = 1,
  kFloat64 = 2,
  kInt32 = 3,
  kUInt8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kBFloat16 = 14,
  kUInt16 = 17,
  kComplex128 = 18,
  kFloat16 = 19,
  kResource = 20,
  kVariant = 21,
  kUInt32 = 22,
  kUInt64 = 23,
};
inline constexpr size_t kDTypeCount = 24;

std::string_view name_of(DType);         // "float32"
std::string_view graphdef_name(DType);   // "DT_FLOAT"
DType dtype_from_name(std::string_view); // kInvalid when unknown
size_t size_of(DType);                   // bytes per element; string, resource, variant: of the C++ object held

bool is_floating(DType);   // half, bfloat16, float32, float64
bool is_integer(DType);    // signed and unsigned, not bool
bool is_complex(DType);
bool is_plain(DType);      // bytes that may be copied with memcpy (not string, resource, variant)

}  // namespace footlight
