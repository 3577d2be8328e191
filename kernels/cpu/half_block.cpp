// Converts Float16 with the F16C instructions, eight at a time, and BFloat16 by shifts, which the compiler vectorises.
#include "kernels/cpu/half_block.h"

#include <bit>
#include <cstring>

namespace footlight::FL_ISA {

void widen(const Float16* from, float* to, int64_t n) {
  int64_t i = 0;
#if defined(__F16C__)
  typedef short Halves __attribute__((vector_size(16)));
  for (; i + 8 <= n; i += 8) {
    Halves h;
    std::memcpy(&h, from + i, sizeof h);
    const auto f = __builtin_ia32_vcvtph2ps256(h);
    std::memcpy(to + i, &f, sizeof f);
  }
#endif
  for (; i < n; ++i) to[i] = from[i];
}

void narrow(const float* from, Float16* to, int64_t n) {
  int64_t i = 0;
#if defined(__F16C__)
  typedef float Floats __attribute__((vector_size(32)));
  for (; i + 8 <= n; i += 8) {
    Floats f;
    std::memcpy(&f, from + i, sizeof f);
    const auto h = __builtin_ia32_vcvtps2ph256(f, 0);  // to nearest, ties to even
    std::memcpy(static_cast<void*>(to + i), &h, sizeof h);
  }
#endif
  for (; i < n; ++i) to[i] = Float16(from[i]);
}

void widen(const BFloat16* from, float* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] = std::bit_cast<float>(uint32_t{from[i].bits} << 16);
}

void narrow(const float* from, BFloat16* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t f = std::bit_cast<uint32_t>(from[i]);
    const uint32_t rounded = (f + 0x7fff + (f >> 16 & 1)) >> 16;
    to[i].bits = static_cast<uint16_t>((f & 0x7fffffff) > 0x7f800000 ? (f >> 16 | 0x40) : rounded);
  }
}

}  // namespace footlight::FL_ISA
