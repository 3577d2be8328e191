// Kernels that reduce segments of chosen rows, and their gradients.
#include "engine/tensor/size.h"
#include "kernels/cpu/elements.h"
#include "kernels/functors/common.h"

#include <cmath>

namespace footlight::FL_ISA {

namespace {

using functors::Compute;
enum class Divisor { kOne, kByCount, kByRoot };

// Segment ids in increasing order, below `most`.
std::vector<int64_t> ids_of(KernelContext& c, int64_t most) {
  std::vector<int64_t> ids = ints_of(c.inputs[2]);
  for (size_t k = 0; k < ids.size(); ++k) {
    if (k && ids[k] < ids[k - 1]) invalid("segment ids are not increasing [Op:", c.row.name, "]");
    if (ids[k] < 0) invalid("segment ids must be >= 0 [Op:", c.row.name, "]");
    if (ids[k] >= most)
      invalid("segment ids must be < num_segments: ", ids[k], " is not below ", most, " [Op:", c.row.name,
              "]");
  }
  return ids;
}
// The indices of the rows that are reduced, of `rows` rows. They are checked before memory is allocated.
std::vector<int64_t> chosen_rows(KernelContext& c, int64_t rows) {
  std::vector<int64_t> chosen = ints_of(c.inputs[1]);
  for (size_t k = 0; k < chosen.size(); ++k)
    if (chosen[k] < 0 || chosen[k] >= rows)
      invalid("indices[", k, "] == ", chosen[k], " out of range [0, ", rows, ") [Op:", c.row.name, "]");
  return chosen;
}
template <Divisor how, class C>
C divisor(size_t count) {
  if constexpr (how == Divisor::kByRoot)
    return static_cast<C>(std::sqrt(static_cast<double>(count)));
  else
    return static_cast<C>(static_cast<float>(count));
}

template <class T, Divisor how>
void forward(KernelContext& c) {
  using C = Compute<T>;
  constexpr int64_t kAny = int64_t{1} << 62;
  const bool counted = c.inputs.size() == 4;
  const int64_t most = counted ? int_at(c.inputs[3], 0) : kAny;
  if (most < 0) invalid("Cannot specify a negative value for num_segments [Op:", c.row.name, "]");
  const std::vector<int64_t> ids = ids_of(c, most);
  Shape shape = c.inputs[0].shape();
  const std::vector<int64_t> chosen = chosen_rows(c, shape[0]);
  const int64_t inner = product(shape, 1, shape.rank());
  shape.set(0, counted ? most : ids.empty() ? 0 : add_sizes(ids.back(), 1));
  Tensor& out = c.set_output(0, c.inputs[0].dtype(), shape);
  clear(out);
  std::vector<C> sum(ids.empty() ? 0 : static_cast<size_t>(inner));
  for (size_t k = 0; k < ids.size();) {
    std::fill(sum.begin(), sum.end(), C(0));
    const size_t begin = k;
    for (; k < ids.size() && ids[k] == ids[begin]; ++k) {
      const T* from = c.in<T>(0) + chosen[k] * inner;
      for (size_t i = 0; i < sum.size(); ++i) {
        if constexpr (std::is_integral_v<C>)
          sum[i] = static_cast<C>(static_cast<functors::Wrapping<C>>(sum[i]) +
                                  static_cast<functors::Wrapping<C>>(from[i]));
        else
          sum[i] += static_cast<C>(from[i]);
      }
    }
    T* to = out.data<T>() + ids[begin] * inner;
    for (size_t i = 0; i < sum.size(); ++i) {
      if constexpr (how != Divisor::kOne) sum[i] /= divisor<how, C>(k - begin);
      to[i] = static_cast<T>(sum[i]);
    }
  }
}

template <class T, Divisor how>
void backward(KernelContext& c) {
  using C = Compute<T>;
  Shape shape = c.inputs[0].shape();
  const std::vector<int64_t> ids = ids_of(c, shape[0]);
  const int64_t inner = product(shape, 1, shape.rank()), rows = int_at(c.inputs[3], 0);
  if (rows < 0) invalid("output_dim0 must not be negative, got ", rows, " [Op:", c.row.name, "]");
  const std::vector<int64_t> chosen = chosen_rows(c, rows);
  shape.set(0, rows);
  Tensor& out = c.set_output(0, c.inputs[0].dtype(), shape);
  clear(out);
  for (size_t k = 0; k < ids.size();) {
    size_t end = k;
    while (end < ids.size() && ids[end] == ids[k]) ++end;
    const C by = how == Divisor::kOne ? C(1) : divisor<how, C>(end - k);
    const T* from = c.in<T>(0) + ids[k] * inner;
    for (; k < end; ++k) {
      T* to = out.data<T>() + chosen[k] * inner;
      for (int64_t i = 0; i < inner; ++i)
        to[i] = static_cast<T>(static_cast<C>(to[i]) + static_cast<C>(from[i]) / by);
    }
  }
}

template <class T>
void add_float() {
  const uint32_t type = bit_of(dtype_of<T>);
  on_cpu("SparseSegmentMean", type, forward<T, Divisor::kByCount>);
  on_cpu("SparseSegmentSqrtN", type, forward<T, Divisor::kByRoot>);
  on_cpu("SparseSegmentMeanWithNumSegments", type, forward<T, Divisor::kByCount>);
  on_cpu("SparseSegmentSqrtNWithNumSegments", type, forward<T, Divisor::kByRoot>);
  on_cpu("SparseSegmentSumGrad", type, backward<T, Divisor::kOne>);
  on_cpu("SparseSegmentMeanGrad", type, backward<T, Divisor::kByCount>);
  on_cpu("SparseSegmentSqrtNGrad", type, backward<T, Divisor::kByRoot>);
}
template <class... T>
void add_sums() {
  for (const char* op : {"SparseSegmentSum", "SparseSegmentSumWithNumSegments"})
    (on_cpu(op, bit_of(dtype_of<T>), forward<T, Divisor::kOne>), ...);
}

}  // namespace

FL_CPU_KERNELS {
  add_sums<float, double, Float16, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
           uint64_t>();
  add_float<float>();
  add_float<double>();
  add_float<Float16>();
  add_float<BFloat16>();
}

}  // namespace footlight::FL_ISA
