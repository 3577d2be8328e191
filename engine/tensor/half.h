// The two 16-bit floats: a storage format; arithmetic is done in float.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace footlight {

struct Float16 {
  uint16_t bits = 0;

  constexpr Float16() = default;
  constexpr Float16(float value) : bits(round(value)) {}
  constexpr operator float() const {
    const uint32_t sign = uint32_t{bits} >> 15 << 31;
    const uint32_t exponent = (bits >> 10) & 0x1f;
    const uint32_t fraction = bits & 0x3ff;
    if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
    if (exponent) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
    const float small = static_cast<float>(fraction) * 0x1p-24f;  // zero and subnormals
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(small));
  }
  static constexpr Float16 of_bits(uint16_t b) { Float16 h; h.bits = b; return h; }

 private:
  // Rounds to nearest, ties to even.
  static constexpr uint16_t round(float value) {
    const uint32_t f = std::bit_cast<uint32_t>(value);
    const uint16_t sign = static_cast<uint16_t>(f >> 16 & 0x8000);
    const uint32_t magnitude = f & 0x7fffffff;
    if (magnitude > 0x7f800000) return static_cast<uint16_t>(sign | 0x7e00);
    if (magnitude >= 0x47800000) return static_cast<uint16_t>(sign | 0x7c00);
    if (magnitude < 0x38800000) {  // subnormal: let float addition do the rounding
      const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
      return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000));
    }
    const uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23);
    return static_cast<uint16_t>(sign | rounded >> 13);
  }
};

struct BFloat16 {
  uint16_t bits = 0;

  constexpr BFloat16() = default;
  constexpr BFloat16(float value) : bits(round(value)) {}
  constexpr operator float() const { return std::bit_cast<float>(uint32_t{bits} << 16); }
  static constexpr BFloat16 of_bits(uint16_t b) { BFloat16 h; h.bits = b; return h; }

 private:
  static constexpr uint16_t round(float value) {
    const uint32_t f = std::bit_cast<uint32_t>(value);
    if ((f & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>(f >> 16 | 0x40);
    return static_cast<uint16_t>((f + 0x7fff + (f >> 16 & 1)) >> 16);
  }
};

}  // namespace footlight
