// Kernels of running sums, products and logsumexps. They process several lines of the array at a time, so that memory
// is read in order.
#include "kernels/cpu/register.h"

#include "engine/base/thread_pool.h"
#include "kernels/functors/arithmetic.h"

#include <algorithm>
#include <cmath>

namespace footlight::FL_ISA {

namespace {

using functors::Compute;

struct SumOf {
  template <class C> static C start() { return C(0); }
  template <class C> static C join(C a, C b) { return functors::Add()(a, b); }
};
struct ProductOf {
  template <class C> static C start() { return C(1); }
  template <class C> static C join(C a, C b) { return functors::Mul()(a, b); }
};
// A NaN among the new elements propagates like one in the previous value, as min and max of the two treat it.
struct LogSumExpOf {
  template <class C> static C start() { return -std::numeric_limits<C>::infinity(); }
  template <class C> static C join(C a, C b) {
    const C high = a < b ? b : a, low = b < a ? b : a;
    return std::isinf(high) ? high : high + std::log1p(std::exp(low - high));
  }
};

template <class Op, class T>
void cumulative(KernelContext& c) {
  using C = Compute<T>;
  const bool exclusive = c.attrs.get_or("exclusive"_attr, false);
  const bool reverse = c.attrs.get_or("reverse"_attr, false);
  const Shape& s = c.inputs[0].shape();
  const int64_t given =
      c.inputs[1].dtype() == DType::kInt64 ? *c.in<int64_t>(1) : static_cast<int64_t>(*c.in<int32_t>(1));
  const int axis = static_cast<int>(given < 0 ? given + s.rank() : given);
  if (s.elements() == 0) return;
  const int64_t n = s[axis];
  int64_t inner = 1;
  for (int d = axis + 1; d < s.rank(); ++d) inner *= s[d];
  const int64_t lines = s.elements() / n;
  constexpr int64_t kSide = 64;  // lines processed together
  const int64_t width = std::min(inner, kSide);
  const int64_t blocks = (inner + width - 1) / width;
  parallel_for(lines / inner * blocks, std::max<int64_t>(1, (1 << 14) / (n * width)), [&](int64_t begin, int64_t end) {
    C state[kSide];
    for (int64_t at = begin; at < end; ++at) {
      const int64_t first = at % blocks * width;
      const int64_t side = std::min(width, inner - first);
      const int64_t base = at / blocks * n * inner + first;
      if (inner == 1) {  // the state stays in a register
        C one = Op::template start<C>();
        const T* in = c.in<T>(0) + base;
        T* out = c.out<T>() + base;
        for (int64_t k = 0; k < n; ++k) {
          const int64_t i = reverse ? n - 1 - k : k;
          const C joined = Op::join(one, static_cast<C>(in[i]));
          out[i] = static_cast<T>(exclusive ? one : joined);
          one = joined;
        }
        continue;
      }
      std::fill_n(state, side, Op::template start<C>());
      for (int64_t k = 0; k < n; ++k) {
        const int64_t row = base + (reverse ? n - 1 - k : k) * inner;
        const T* in = c.in<T>(0) + row;
        T* out = c.out<T>() + row;
        for (int64_t i = 0; i < side; ++i) {
          const C joined = Op::join(state[i], static_cast<C>(in[i]));
          out[i] = static_cast<T>(exclusive ? state[i] : joined);
          state[i] = joined;
        }
      }
    }
  });
}

template <class... Types>
void numbers() {
  (on_cpu("Cumsum", bit_of(dtype_of<Types>), cumulative<SumOf, Types>), ...);
  (on_cpu("Cumprod", bit_of(dtype_of<Types>), cumulative<ProductOf, Types>), ...);
}
template <class... Types>
void floats() { (on_cpu("CumulativeLogsumexp", bit_of(dtype_of<Types>), cumulative<LogSumExpOf, Types>), ...); }

}  // namespace

FL_CPU_KERNELS {
  numbers<float, double, Float16, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
          std::complex<float>, std::complex<double>>();
  floats<float, double, Float16, BFloat16>();
}

}  // namespace footlight::FL_ISA
