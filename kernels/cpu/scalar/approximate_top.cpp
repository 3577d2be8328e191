// The k largest or smallest along any dimension: ApproxTopK, which is exact here, and so meets every recall target.
#include "kernels/cpu/elements.h"
#include "kernels/functors/common.h"

#include "engine/base/thread_pool.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace footlight::FL_ISA {

namespace {

template <class T>
void approximate_top(KernelContext& c) {
  using C = functors::Compute<T>;
  const bool largest = c.attrs.get_or("is_max_k"_attr, true);
  const Shape& shape = c.inputs[0].shape();
  const auto given = c.attrs.get_or("reduction_dimension"_attr, int64_t{-1});
  const auto axis = static_cast<int>(given < 0 ? given + shape.rank() : given);
  const int64_t n = shape[axis], k = c.outputs[0].shape()[axis];
  if (c.outputs[0].elements() == 0) return;
  if (n < k) invalid("input must have at least k columns. Had ", n, ", needed ", k, " [Op:ApproxTopK]");
  int64_t stride = 1;
  for (int d = axis + 1; d < shape.rank(); ++d) stride *= shape[d];
  const int64_t rows = c.inputs[0].elements() / n;
  const T* const in = c.in<T>(0);
  parallel_for(rows, std::max<int64_t>(1, (1 << 14) / n), [&](int64_t begin, int64_t end) {
    std::vector<C> values(static_cast<size_t>(n));
    std::vector<int32_t> order(static_cast<size_t>(n));
    for (int64_t r = begin; r < end; ++r) {
      const int64_t outer = r / stride, inner = r % stride;
      const T* const from = in + outer * n * stride + inner;
      for (size_t j = 0; j < values.size(); ++j) values[j] = static_cast<C>(from[static_cast<int64_t>(j) * stride]);
      std::iota(order.begin(), order.end(), 0);
      // The first of equal values comes first; NaN is last in both directions.
      std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](int32_t a, int32_t b) {
        const C x = values[static_cast<size_t>(a)], y = values[static_cast<size_t>(b)];
        if (x != x || y != y) return (x != x) == (y != y) ? a < b : y != y;
        return x == y ? a < b : largest ? x > y : x < y;
      });
      for (int64_t j = 0; j < k; ++j) {
        const int64_t to = (outer * k + j) * stride + inner;
        const int32_t at = order[static_cast<size_t>(j)];
        c.out<T>(0)[to] = from[at * stride];
        c.out<int32_t>(1)[to] = at;
      }
    }
  });
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("ApproxTopK", bit_of(DType::kFloat32), approximate_top<float>);
  on_cpu("ApproxTopK", bit_of(DType::kFloat16), approximate_top<Float16>);
  on_cpu("ApproxTopK", bit_of(DType::kBFloat16), approximate_top<BFloat16>);
}

}  // namespace footlight::FL_ISA
