// Draws many Philox blocks at a time, and converts them to numbers, in loops without a branch: word k of all blocks
// is contiguous, so that they vectorise. The digits do not depend on how many are drawn at once.
#pragma once

#include "kernels/cpu/half_block.h"
#include "kernels/functors/branchless.h"
#include "kernels/functors/random_draw.h"

#include <cmath>
#include <cstdint>

namespace footlight::FL_ISA {

inline constexpr int64_t kBlocksAtOnce = 64;

struct BlockWords {
  uint32_t w[4][kBlocksAtOnce];
};

// The blocks at `first`, first + stride, ... after the stream's position.
[[gnu::noinline]] inline void draw_blocks(const Philox& stream, uint64_t first, uint64_t stride, int64_t count,
                                          BlockWords& out) {
  const uint64_t start = static_cast<uint64_t>(stream.counter[1]) << 32 | stream.counter[0];
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t low = start + first + static_cast<uint64_t>(i) * stride;
    const uint32_t carry = low < start;
    const uint32_t third = stream.counter[2] + carry;
    out.w[0][i] = static_cast<uint32_t>(low);
    out.w[1][i] = static_cast<uint32_t>(low >> 32);
    out.w[2][i] = third;
    out.w[3][i] = stream.counter[3] + (carry & static_cast<uint32_t>(third == 0));
  }
  for (int64_t i = 0; i < count; ++i) {
    uint32_t k0 = stream.key[0], k1 = stream.key[1];
    uint32_t a = out.w[0][i], b = out.w[1][i], c = out.w[2][i], d = out.w[3][i];
    const auto round = [&]() __attribute__((always_inline)) {
      const uint64_t x = uint64_t{0xD2511F53} * a;
      const uint64_t y = uint64_t{0xCD9E8D57} * c;
      a = static_cast<uint32_t>(y >> 32) ^ b ^ k0;
      b = static_cast<uint32_t>(y);
      c = static_cast<uint32_t>(x >> 32) ^ d ^ k1;
      d = static_cast<uint32_t>(x);
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    };
    round(), round(), round(), round(), round(), round(), round(), round(), round(), round();
    out.w[0][i] = a;
    out.w[1][i] = b;
    out.w[2][i] = c;
    out.w[3][i] = d;
  }
}

// Converts two words to two normal numbers, by Box and Muller. The angle is within one turn, where float is enough to
// find its quadrant.
inline void normals_of(uint32_t a, uint32_t b, float& first, float& second) {
  namespace f = functors::branchless;
  constexpr float kHigh = 0x1.92p+0f, kMiddle = 0x1.fb5p-12f, kLow = 0x1.110b46p-26f;  // pi / 2
  const float unit = unit_float(a);
  const float angle = static_cast<float>(2.0 * 3.14159265358979323846 * static_cast<double>(unit_float(b)));
  const float radius = std::sqrt(-2.0f * f::log(unit < 1.0e-7f ? 1.0e-7f : unit));
  const float shifted = angle * 0x1.45f306p-1f + f::Format<float>::kRound;
  const float k = shifted - f::Format<float>::kRound;
  const float r = ((angle - k * kHigh) - k * kMiddle) - k * kLow;
  const int32_t quadrant = f::bits(shifted);
  first = f::quadrant(quadrant, r) * radius;
  second = f::quadrant(quadrant + 1, r) * radius;
}
inline void normals_of(uint32_t a0, uint32_t a1, uint32_t b0, uint32_t b1, double& first, double& second) {
  namespace f = functors::branchless;
  const double unit = unit_double(a0, a1);
  const double angle = 2.0 * 3.14159265358979323846 * unit_double(b0, b1);
  const double radius = std::sqrt(-2.0 * f::log(unit < 1.0e-7 ? 1.0e-7 : unit));
  first = f::sin(angle) * radius;
  second = f::cos(angle) * radius;
}

// Interleaves results, which are contiguous per word k: to[4 * i + k] = from[k][i].
template <class T>
inline void interleave(const T (&from)[4][kBlocksAtOnce], int64_t blocks, T* __restrict__ to) {
  for (int64_t i = 0; i < blocks; ++i)
    for (int k = 0; k < 4; ++k) to[4 * i + k] = from[k][i];
}

// Results per block: kCount of them.
template <class T>
struct UniformBlocks {
  static constexpr int64_t kCount = Uniform<T>::kCount;
  static void of(const BlockWords& words, int64_t blocks, T* __restrict__ out) {
    if constexpr (kCount == 2) {
      for (int64_t i = 0; i < blocks; ++i)
        for (int k = 0; k < 2; ++k) out[2 * i + k] = unit_double(words.w[2 * k][i], words.w[2 * k + 1][i]);
    } else {
      uint32_t w[4 * kBlocksAtOnce];
      interleave(words.w, blocks, w);
      for (int64_t i = 0; i < 4 * blocks; ++i) out[i] = Uniform<T>::from(w[i]);
    }
  }
};
template <class T>
struct NormalBlocks {
  static constexpr int64_t kCount = Normal<T>::kCount;
  static void of(const BlockWords& words, int64_t blocks, T* __restrict__ out) {
    if constexpr (std::is_same_v<T, double>) {
      for (int64_t i = 0; i < blocks; ++i)
        normals_of(words.w[0][i], words.w[1][i], words.w[2][i], words.w[3][i], out[2 * i], out[2 * i + 1]);
    } else if constexpr (std::is_same_v<T, float>) {
      float n[4][kBlocksAtOnce];
      for (int k = 0; k < 4; k += 2)
        for (int64_t i = 0; i < blocks; ++i) normals_of(words.w[k][i], words.w[k + 1][i], n[k][i], n[k + 1][i]);
      interleave(n, blocks, out);
    } else {
      float wide[4 * kBlocksAtOnce];
      NormalBlocks<float>::of(words, blocks, wide);
      narrow(wide, out, 4 * blocks);
    }
  }
};

}  // namespace footlight::FL_ISA
