// QR of real matrices by Householder reflections, in panels of columns: together they are applied as a product.
// Complex ones: kernels/cpu/scalar.
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/matrices.h"
#include "kernels/cpu/vector.h"

#include <cmath>
#include <limits>

namespace footlight::FL_ISA {

namespace {

// The matrix is transposed here, so that each column is contiguous, a row of `columns_`. The reflections of a block
// are I - V * T * V^T, where V has one of them per column and T is an upper triangle.
template <class T>
class Reflections {
 public:
  Reflections(const T* in, int64_t rows, int64_t columns, int64_t q_columns)
      : rows_(rows), columns_(columns), count_(std::min(rows, columns)) {
    const int64_t sizes[] = {columns * rows, count_ * rows, pieces(count_, kBlock) * kBlock * kBlock,
                             2 * std::max(columns, q_columns) * kBlock};
    int64_t size = 0;
    for (const int64_t s : sizes) size += s;
    memory_ = allocate_buffer(Device::cpu(), static_cast<size_t>(size) * sizeof(T));
    a_ = static_cast<T*>(memory_->data());
    v_ = a_ + sizes[0];
    t_ = v_ + sizes[1];
    z_ = t_ + sizes[2];
    transpose_copy(in, columns, a_, rows, rows, columns);
    for (int64_t j = 0; j < count_; j += kBlock) {
      const int64_t end = std::min(count_, j + kBlock);
      reflect(j, end);
      apply(j, end, a_ + end * rows_ + j, columns_ - end, false);
    }
  }

  // The upper triangle.
  void r(T* out, int64_t out_rows) const {
    for (int64_t i = 0; i < out_rows; ++i)
      for (int64_t j = 0; j < columns_; ++j) out[i * columns_ + j] = j < i ? T(0) : a_[j * rows_ + i];
  }

  void q(T* out, int64_t out_columns) {
    const BufferPtr memory = allocate_buffer(Device::cpu(), static_cast<size_t>(out_columns * rows_ + 1) * sizeof(T));
    T* const transposed = static_cast<T*>(memory->data());
    std::fill_n(transposed, out_columns * rows_, T(0));
    for (int64_t i = 0; i < out_columns; ++i) transposed[i * (rows_ + 1)] = T(1);
    for (int64_t j = (count_ - 1) / kBlock * kBlock; j >= 0; j -= kBlock)
      apply(j, std::min(count_, j + kBlock), transposed + j * (rows_ + 1), out_columns - j, true);
    transpose_copy(transposed, rows_, out, out_columns, out_columns, rows_);
  }

 private:
  static constexpr int64_t kBlock = 32;

  T* triangle(int64_t begin) const { return t_ + begin * kBlock; }

  // Factors the columns of a block by themselves, and builds the block's V and T.
  void reflect(int64_t begin, int64_t end) {
    T* const t = triangle(begin);
    for (int64_t k = begin; k < end; ++k) {
      T* const x = a_ + k * rows_ + k;
      T* const v = v_ + k * rows_ + k;
      const int64_t n = rows_ - k;
      const T tail = n > 1 ? dot(x + 1, x + 1, n - 1) : T(0);
      T tau = 0;
      std::fill(v - (k - begin), v, T(0));
      if (tail <= std::numeric_limits<T>::min()) {
        std::fill_n(v, n, T(0));
      } else {
        const T length = std::sqrt(x[0] * x[0] + tail);
        const T beta = x[0] >= T(0) ? -length : length;
        const T divisor = x[0] - beta;
        for (int64_t i = 1; i < n; ++i) v[i] = x[i] / divisor;
        tau = (beta - x[0]) / beta;
        x[0] = beta;
      }
      v[0] = T(1);
      if (tau != T(0))
        for (int64_t j = k + 1; j < end; ++j) {
          T* const other = a_ + j * rows_ + k;
          subtract(other, v, tau * dot(v, other, n), n);
        }
      // Column k of T: -tau * T * (V^T * v), then tau.
      T along[kBlock];
      const int64_t before = k - begin;
      for (int64_t j = 0; j < before; ++j) along[j] = dot(v_ + (begin + j) * rows_ + k, v, n);
      for (int64_t i = 0; i < before; ++i) {
        T sum = 0;
        for (int64_t j = i; j < before; ++j) sum += t[i * kBlock + j] * along[j];
        t[i * kBlock + before] = -tau * sum;
      }
      t[before * kBlock + before] = tau;
      std::fill_n(t + before * kBlock, before, T(0));
    }
  }

  static void subtract(T* __restrict__ to, const T* __restrict__ from, T x, int64_t n) {
    for (int64_t i = 0; i < n; ++i) to[i] -= x * from[i];
  }

  // Multiplies rows of `to`, which start at the block's first row, by I - V * T * V^T, or with T transposed.
  void apply(int64_t begin, int64_t end, T* to, int64_t count, bool transposed) {
    const int64_t width = end - begin, length = rows_ - begin;
    if (count <= 0 || length <= 0) return;
    const T* const v = v_ + begin * rows_ + begin;
    T* const both = z_ + count * width;
    gemm(count, width, length, Matrix<T>{to, rows_, 1}, Matrix<T>{v, 1, rows_}, z_, width);
    gemm(count, width, width, Matrix<T>{z_, width, 1},
         transposed ? Matrix<T>{triangle(begin), 1, kBlock} : Matrix<T>{triangle(begin), kBlock, 1}, both, width);
    gemm(count, length, width, Matrix<T>{both, width, 1}, Matrix<T>{v, rows_, 1}, to, rows_, Into::kSubtract);
  }

  int64_t rows_, columns_, count_;
  BufferPtr memory_;
  T *a_, *v_, *t_, *z_;
};

template <class T>
void qr(KernelContext& c) {
  const Sizes s = sizes_of(c.inputs[0]), qs = sizes_of(c.outputs[0]), rs = sizes_of(c.outputs[1]);
  for_matrices(c, [&](int64_t i) {
    T* const q = c.out<T>(0) + i * qs.elements();
    if (s.elements() == 0) {
      for (int64_t k = 0; k < qs.elements(); ++k) q[k] = T(k % (qs.columns + 1) == 0);
      return;
    }
    Reflections<T> reflections(c.in<T>(0) + i * s.elements(), s.rows, s.columns, qs.columns);
    reflections.r(c.out<T>(1) + i * rs.elements(), rs.rows);
    reflections.q(q, qs.columns);
  });
}

}  // namespace

FL_CPU_KERNELS { on_real_matrices<qr<float>, qr<double>>("Qr"); }

}  // namespace footlight::FL_ISA
