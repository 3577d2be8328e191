// Kernel of L2Loss: half of the sum of the squares.
#include "kernels/cpu/register.h"

#include "kernels/functors/common.h"


namespace footlight::FL_ISA {

namespace {

// Sums blocks in lanes, and the blocks' sums pairwise, so that a long tensor loses no digits.
template <class T>
functors::Compute<T> square_sum(const T* x, int64_t n) {
  using C = functors::Compute<T>;
  constexpr int64_t kBlock = 4096;
  constexpr int kLanes = 16;
  if (n > kBlock) {
    const int64_t half = (n / kBlock + 1) / 2 * kBlock;
    return square_sum(x, half) + square_sum(x + half, n - half);
  }
  C lane[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int k = 0; k < kLanes; ++k) lane[k] += static_cast<C>(x[i + k]) * static_cast<C>(x[i + k]);
  C sum = 0;
  for (; i < n; ++i) sum += static_cast<C>(x[i]) * static_cast<C>(x[i]);
  for (const C& part : lane) sum += part;
  return sum;
}

template <class T>
void l2_loss(KernelContext& c) {
  using C = functors::Compute<T>;
  *c.out<T>() = static_cast<T>(square_sum(c.in<T>(0), c.inputs[0].elements()) * C(0.5));
}

template <class... Types>
void losses() {
  (on_cpu("L2Loss", bit_of(dtype_of<Types>), l2_loss<Types>), ...);
}

}  // namespace

FL_CPU_KERNELS { losses<float, double, Float16, BFloat16>(); }

}  // namespace footlight::FL_ISA
