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
size_t size_of(DType);                   // bytes per element; string, resource, variant: the size of the C++ object

// "float", "double", "half", otherwise as in name_of: the spelling in error messages and GraphDef listings.
std::string_view short_name(DType);

constexpr uint32_t bit_of(DType t) { return 1u << static_cast<unsigned>(t); }

// Sets of dtypes, as a bit mask.
template <class... Types>
constexpr uint32_t dtype_set(Types... types) { return (bit_of(types) | ...); }
inline constexpr uint32_t kFloatingTypes =
    dtype_set(DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64);
inline constexpr uint32_t kSignedTypes = dtype_set(DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64);
inline constexpr uint32_t kUnsignedTypes = dtype_set(DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64);
inline constexpr uint32_t kIntegerTypes = kSignedTypes | kUnsignedTypes;
inline constexpr uint32_t kComplexTypes = dtype_set(DType::kComplex64, DType::kComplex128);
inline constexpr uint32_t kRealTypes = kFloatingTypes | kIntegerTypes;
inline constexpr uint32_t kNumberTypes = kRealTypes | kComplexTypes;
inline constexpr uint32_t kPlainTypes = kNumberTypes | bit_of(DType::kBool);
inline constexpr uint32_t kAllTypes =
    kPlainTypes | dtype_set(DType::kString, DType::kResource, DType::kVariant);

constexpr bool in_set(DType t, uint32_t set) { return (set >> static_cast<unsigned>(t)) & 1; }
constexpr bool is_floating(DType t) { return in_set(t, kFloatingTypes); }  // half, bfloat16, float32, float64
constexpr bool is_integer(DType t) { return in_set(t, kIntegerTypes); }    // signed and unsigned, not bool
constexpr bool is_complex(DType t) { return in_set(t, kComplexTypes); }
// Bytes that may be copied with memcpy (not string, resource, variant).
constexpr bool is_plain(DType t) { return in_set(t, kPlainTypes); }

}  // namespace footlight
