// Bulk conversions of 16-bit floats, with the machine's own instructions where it has them.
#pragma once

#include "engine/tensor/half.h"
#include "kernels/cpu/register.h"

#include <cstdint>

namespace footlight::FL_ISA {

void widen(const Float16* from, float* to, int64_t n);
void widen(const BFloat16* from, float* to, int64_t n);
void narrow(const float* from, Float16* to, int64_t n);
void narrow(const float* from, BFloat16* to, int64_t n);

// Number of elements a loop holds as floats at a time: three such blocks stay in the L1 cache.
inline constexpr int64_t kHalfBlock = 512;

}  // namespace footlight::FL_ISA
