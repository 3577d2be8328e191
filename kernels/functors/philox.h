// Philox 4x32-10, the counter-based generator of TensorFlow, and how its 32-bit words become numbers: bit for bit.
#pragma once

#include "kernels/functors/common.h"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace footlight {

struct Philox {
  static constexpr int kWords = 4;
  struct Words {
    uint32_t w[4];
  };
  uint32_t key[2] = {0, 0};
  uint32_t counter[4] = {0, 0, 0, 0};

  FL_HOST_DEVICE Philox() {}
  FL_HOST_DEVICE Philox(uint64_t seed, uint64_t seed2) {
    key[0] = static_cast<uint32_t>(seed);
    key[1] = static_cast<uint32_t>(seed >> 32);
    counter[2] = static_cast<uint32_t>(seed2);
    counter[3] = static_cast<uint32_t>(seed2 >> 32);
  }

  // Continues as if `count` blocks of four words had been drawn.
  FL_HOST_DEVICE void skip(uint64_t count) {
    const uint64_t low = (static_cast<uint64_t>(counter[1]) << 32 | counter[0]) + count;
    const bool carry = low < count;
    counter[0] = static_cast<uint32_t>(low);
    counter[1] = static_cast<uint32_t>(low >> 32);
    if (carry && ++counter[2] == 0) ++counter[3];
  }

  FL_HOST_DEVICE Words next() {
    uint32_t k0 = key[0], k1 = key[1];
    Words x = {{counter[0], counter[1], counter[2], counter[3]}};
    for (int round = 0; round < 10; ++round) {
      const uint64_t a = uint64_t{0xD2511F53} * x.w[0];
      const uint64_t b = uint64_t{0xCD9E8D57} * x.w[2];
      x = {{static_cast<uint32_t>(b >> 32) ^ x.w[1] ^ k0, static_cast<uint32_t>(b),
            static_cast<uint32_t>(a >> 32) ^ x.w[3] ^ k1, static_cast<uint32_t>(a)}};
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
    skip(1);
    return x;
  }
};

// [0, 1) with all the digits of the mantissa.
FL_HOST_DEVICE inline float unit_float(uint32_t word) {
  const uint32_t bits = 0x3F800000u | (word & 0x7FFFFFu);
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value - 1.0f;
}
FL_HOST_DEVICE inline double unit_double(uint32_t high, uint32_t low) {
  const uint64_t bits = 0x3FF0000000000000u | static_cast<uint64_t>(high & 0xFFFFFu) << 32 | low;
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value - 1.0;
}

// Two numbers of the standard normal distribution from two uniform ones (Box and Muller).
FL_HOST_DEVICE inline void normal_pair(uint32_t a, uint32_t b, float* out) {
  float u = unit_float(a);
  if (u < 1.0e-7f) u = 1.0e-7f;
  const float angle = static_cast<float>(2.0 * 3.14159265358979323846 * unit_float(b));
  const float radius = sqrtf(-2.0f * logf(u));
  out[0] = sinf(angle) * radius;
  out[1] = cosf(angle) * radius;
}
FL_HOST_DEVICE inline void normal_pair(uint32_t a0, uint32_t a1, uint32_t b0, uint32_t b1, double* out) {
  double u = unit_double(a0, a1);
  if (u < 1.0e-7) u = 1.0e-7;
  const double angle = 2.0 * 3.14159265358979323846 * unit_double(b0, b1);
  const double radius = sqrt(-2.0 * log(u));
  out[0] = sin(angle) * radius;
  out[1] = cos(angle) * radius;
}

}  // namespace footlight
