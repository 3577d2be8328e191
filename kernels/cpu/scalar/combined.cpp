// Kernels made of other kernels: matrix products whose dtype differs from the operands', and the Euclidean norm.
#include "kernels/cpu/scalar/call.h"

#include "engine/base/thread_pool.h"
#include "kernels/functors/common.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace footlight::FL_ISA {

namespace {

void typed_product(KernelContext& c) {
  const DType type = c.outputs[0].dtype();
  c.outputs[0] = call("BatchMatMulV2", {cast(c.inputs[0], type), cast(c.inputs[1], type)}, c.outputs[0], c.attrs);
}

// The dtype for sums of squares: integers wrap around, half precision is summed in float (its squares are half).
template <class T>
struct Squares {
  using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t,
                                 std::conditional_t<sizeof(T) == 2 && !std::is_integral_v<T>, float, T>>;
  static Sum of(T x) {
    if constexpr (std::is_integral_v<T>) return static_cast<uint64_t>(x) * static_cast<uint64_t>(x);
    else if constexpr (sizeof(T) == 2) return static_cast<float>(T(static_cast<float>(x) * static_cast<float>(x)));
    else return x * x;
  }
};
template <class Real>
struct Squares<std::complex<Real>> {
  using Sum = Real;
  static Sum of(std::complex<Real> x) { return std::norm(x); }
};

// Sums a row in parallel chains. Long rows are halved, which keeps the error small.
template <class T>
typename Squares<T>::Sum sum_of_squares(const T* in, int64_t n) {
  using Sum = typename Squares<T>::Sum;
  if (n > 4096) {
    const int64_t half = n / 2 / 64 * 64;
    return sum_of_squares(in, half) + sum_of_squares(in + half, n - half);
  }
  constexpr int kChains = 16;
  Sum chain[kChains] = {};
  int64_t i = 0;
  for (; i + kChains <= n; i += kChains)
    for (int k = 0; k < kChains; ++k) chain[k] += Squares<T>::of(in[i + k]);
  for (; i < n; ++i) chain[0] += Squares<T>::of(in[i]);
  for (int k = kChains / 2; k > 0; k /= 2)
    for (int j = 0; j < k; ++j) chain[j] += chain[j + k];
  return chain[0];
}

template <class T>
T root(typename Squares<T>::Sum sum) {
  if constexpr (std::is_integral_v<T>) return static_cast<T>(std::sqrt(static_cast<double>(static_cast<T>(sum))));
  else return T(std::sqrt(sum));
}

// Whether the reduced dimensions are the trailing ones: each result is a row of memory.
bool reduces_rows(const Shape& shape, const Tensor& axes, int64_t& row) {
  bool reduced[64] = {};
  for (int64_t k = 0; k < axes.elements(); ++k) {
    const int64_t axis = axes.dtype() == DType::kInt64 ? axes.data<int64_t>()[k] : axes.data<int32_t>()[k];
    reduced[axis < 0 ? axis + shape.rank() : axis] = true;
  }
  row = 1;
  int d = shape.rank() - 1;
  for (; d >= 0 && (reduced[d] || shape[d] == 1); --d) row *= shape[d];
  for (; d >= 0; --d)
    if (reduced[d] && shape[d] != 1) return false;
  return true;
}

template <class T>
void euclidean_norm(KernelContext& c) {
  using Sum = typename Squares<T>::Sum;
  const Tensor& x = c.inputs[0];
  const T* in = c.in<T>(0);
  T* out = c.out<T>();
  const int64_t count = c.outputs[0].elements();
  int64_t row = 1;
  if (reduces_rows(x.shape(), c.inputs[1], row)) {
    constexpr int64_t kPiece = 1 << 16;
    const int64_t pieces = count == 1 ? (row + kPiece - 1) / kPiece : 1;
    if (pieces > 1) {
      std::vector<Sum> parts(static_cast<size_t>(pieces));
      parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
        for (int64_t p = begin; p < end; ++p)
          parts[static_cast<size_t>(p)] = sum_of_squares(in + p * kPiece, std::min(kPiece, row - p * kPiece));
      });
      out[0] = root<T>(std::accumulate(parts.begin(), parts.end(), Sum(0)));
      return;
    }
    parallel_for(count, std::max<int64_t>(1, (1 << 15) / std::max<int64_t>(1, row)), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) out[i] = root<T>(sum_of_squares(in + i * row, row));
    });
    return;
  }
  const Tensor squares = Tensor::empty(dtype_of<Sum>, x.shape());
  std::transform(in, in + x.elements(), squares.data<Sum>(), [](T v) { return Squares<T>::of(v); });
  const Tensor sums = call("Sum", {squares, c.inputs[1]}, Tensor::empty(dtype_of<Sum>, c.outputs[0].shape()), c.attrs);
  for (int64_t i = 0; i < count; ++i) out[i] = root<T>(sums.data<Sum>()[i]);
}

template <class... Types>
void norms() {
  (on_cpu("EuclideanNorm", bit_of(dtype_of<Types>), euclidean_norm<Types>), ...);
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("BatchMatMulV3", kNumberTypes, typed_product);
  norms<float, double, Float16, BFloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
        std::complex<float>, std::complex<double>>();
}

}  // namespace footlight::FL_ISA
