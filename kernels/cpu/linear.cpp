// Kernels of linear algebra on real matrices that are mostly products: inverse, linear systems, determinants, LU
// and Cholesky. Complex ones: kernels/cpu/scalar.
#include "kernels/cpu/factor.h"
#include "kernels/cpu/matrices.h"
#include "kernels/cpu/vector.h"

#include <cmath>
#include <limits>

namespace footlight::FL_ISA {

namespace {

bool adjoint_of(const KernelContext& c) { return c.attrs.get_or("adjoint"_attr, false); }

template <class T>
void transpose(const T* from, T* to, int64_t n) { transpose_copy(from, n, to, n, n, n); }

// The LU decomposition of a copy of a matrix.
template <class T>
class Lu {
 public:
  Lu(const T* from, int64_t n, bool adjoint) : n_(n) {
    const auto size = static_cast<size_t>(n);
    memory_ = allocate_buffer(Device::cpu(), size * size * sizeof(T) + size * 2 * sizeof(int64_t));
    pivots_ = static_cast<int64_t*>(memory_->data());
    order_ = pivots_ + n;
    a_ = reinterpret_cast<T*>(order_ + n);
    if (adjoint) transpose(from, a_, n);
    else std::copy_n(from, n * n, a_);
    factor_lu(n, a_, n, pivots_);
    for (int64_t i = 0; i < n; ++i) order_[i] = i;
    for (int64_t i = 0; i < n; ++i) std::swap(order_[i], order_[pivots_[i]]);
  }

  int64_t size() const { return n_; }
  const T* triangles() const { return a_; }
  T pivot(int64_t i) const { return a_[i * (n_ + 1)]; }
  // The original row that is now row i.
  int64_t origin(int64_t i) const { return order_[i]; }
  T sign() const {
    bool odd = false;
    for (int64_t i = 0; i < n_; ++i) odd ^= pivots_[i] != i;
    return odd ? T(-1) : T(1);
  }
  // Throws if a pivot is 0 or the first one is NaN. A later NaN propagates through the results.
  void check_invertible(const KernelContext& c) const {
    bool invertible = std::abs(pivot(0)) > T(0);
    for (int64_t i = 1; i < n_; ++i) invertible &= pivot(i) != T(0);
    if (!invertible) invalid("Input matrix is not invertible: a pivot is 0 or not a number [Op:", c.row.name, "]");
  }
  // Solves for x, whose rows are in pivoted order.
  void solve(T* x, int64_t columns) const {
    const Matrix<T> a{a_, n_, 1};
    solve_triangle(Triangle::kUnitLower, n_, a, x, columns, columns);
    solve_triangle(Triangle::kUpper, n_, a, x, columns, columns);
  }

 private:
  int64_t n_;
  BufferPtr memory_;
  int64_t* pivots_;
  int64_t* order_;
  T* a_;
};

// Calls body(index, decomposition) for each non-empty matrix. Throws if one is not invertible.
template <class T, class Body>
void for_invertible(KernelContext& c, bool adjoint, Body&& body) {
  const Sizes s = sizes_of(c.inputs[0]);
  if (c.outputs[0].elements() == 0) return;
  for_matrices(c, [&](int64_t i) {
    const Lu<T> lu(c.in<T>(0) + i * s.elements(), s.rows, adjoint);
    lu.check_invertible(c);
    body(i, lu);
  });
}

template <class T>
void inverse(KernelContext& c) {
  for_invertible<T>(c, adjoint_of(c), [&](int64_t i, const Lu<T>& lu) {
    const int64_t n = lu.size();
    T* const out = c.out<T>() + i * n * n;
    std::fill_n(out, n * n, T(0));
    for (int64_t row = 0; row < n; ++row) out[row * n + lu.origin(row)] = T(1);
    lu.solve(out, n);
  });
}

template <class T>
void solve(KernelContext& c) {
  for_invertible<T>(c, adjoint_of(c), [&](int64_t i, const Lu<T>& lu) {
    const Sizes s = sizes_of(c.outputs[0]);
    const T* const from = c.in<T>(1) + i * s.elements();
    T* const out = c.out<T>() + i * s.elements();
    for (int64_t row = 0; row < s.rows; ++row)
      std::copy_n(from + lu.origin(row) * s.columns, s.columns, out + row * s.columns);
    lu.solve(out, s.columns);
  });
}

template <class T>
void determinant(KernelContext& c) {
  const Sizes s = sizes_of(c.inputs[0]);
  for_matrices(c, [&](int64_t i) {
    const Lu<T> lu(c.in<T>(0) + i * s.elements(), s.rows, false);
    T product = lu.sign();
    for (int64_t k = 0; k < s.rows; ++k) product *= lu.pivot(k);
    c.out<T>()[i] = product;
  });
}

template <class T>
void log_determinant(KernelContext& c) {
  const Sizes s = sizes_of(c.inputs[0]);
  for_matrices(c, [&](int64_t i) {
    const Lu<T> lu(c.in<T>(0) + i * s.elements(), s.rows, false);
    T sign = lu.sign(), log = 0;
    for (int64_t k = 0; k < s.rows; ++k) {
      const T pivot = lu.pivot(k), size = std::abs(pivot);
      log += std::log(size);
      sign *= pivot > T(0) ? T(1) : pivot < T(0) ? T(-1) : pivot;  // 0 and NaN are kept
    }
    c.out<T>(0)[i] = sign;
    c.out<T>(1)[i] = log;
  });
}

template <class T>
void lu(KernelContext& c) {
  for_invertible<T>(c, false, [&](int64_t i, const Lu<T>& lu) {
    const int64_t n = lu.size();
    std::copy_n(lu.triangles(), n * n, c.out<T>(0) + i * n * n);
    for (int64_t row = 0; row < n; ++row) {
      if (c.outputs[1].dtype() == DType::kInt64) c.out<int64_t>(1)[i * n + row] = lu.origin(row);
      else c.out<int32_t>(1)[i * n + row] = static_cast<int32_t>(lu.origin(row));
    }
  });
}

// Only the lower triangle is read; a matrix that is not positive definite gives NaN.
template <class T>
void cholesky(KernelContext& c) {
  const Sizes s = sizes_of(c.inputs[0]);
  const int64_t n = s.rows;
  if (s.elements() == 0) return;
  for_matrices(c, [&](int64_t i) {
    const BufferPtr memory = allocate_buffer(Device::cpu(), static_cast<size_t>(n * n) * sizeof(T));
    T* const upper = static_cast<T*>(memory->data());
    T* const out = c.out<T>() + i * n * n;
    transpose(c.in<T>(0) + i * n * n, upper, n);
    const bool definite = factor_cholesky(n, upper, n);
    if (definite) transpose(upper, out, n);
    for (int64_t row = 0; row < n; ++row) {
      if (!definite) std::fill_n(out + row * n, row + 1, std::numeric_limits<T>::quiet_NaN());
      std::fill_n(out + row * n + row + 1, n - row - 1, T(0));
    }
  });
}

template <class T>
void triangular_solve(KernelContext& c) {
  const bool adjoint = adjoint_of(c);
  const bool lower = c.attrs.get_or("lower"_attr, true) != adjoint;
  const Sizes s = sizes_of(c.outputs[0]);
  if (s.elements() == 0) return;
  const int64_t cost = std::max<int64_t>(1, s.rows * s.elements()), n = s.rows;
  parallel_for(batches_of(c.outputs[0]), std::max<int64_t>(1, (1 << 16) / cost), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T* const a = c.in<T>(0) + source_of(c.inputs[0].shape(), c.outputs[0].shape(), i) * n * n;
      const T* const b = c.in<T>(1) + source_of(c.inputs[1].shape(), c.outputs[0].shape(), i) * s.elements();
      T* const x = c.out<T>() + i * s.elements();
      std::copy_n(b, s.elements(), x);
      solve_triangle(lower ? Triangle::kLower : Triangle::kUpper, n,
                     adjoint ? Matrix<T>{a, 1, n} : Matrix<T>{a, n, 1}, x, s.columns, s.columns);
    }
  });
}

}  // namespace

FL_CPU_KERNELS {
  on_real_matrices<inverse<float>, inverse<double>>("MatrixInverse");
  on_real_matrices<solve<float>, solve<double>>("MatrixSolve");
  on_real_matrices<determinant<float>, determinant<double>>("MatrixDeterminant");
  on_real_matrices<log_determinant<float>, log_determinant<double>>("LogMatrixDeterminant");
  on_real_matrices<lu<float>, lu<double>>("Lu");
  on_real_matrices<cholesky<float>, cholesky<double>>("Cholesky");
  on_real_matrices<triangular_solve<float>, triangular_solve<double>>("MatrixTriangularSolve");
  on_cpu("MatrixTriangularSolve", bit_of(DType::kBFloat16), in_wider_type<BFloat16, float, triangular_solve<float>>);
}

}  // namespace footlight::FL_ISA
