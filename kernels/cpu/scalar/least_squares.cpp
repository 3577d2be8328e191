// Least squares, made of other kernels: the normal equations by Cholesky, or, slower and for any rank,
// singular values.
#include "kernels/cpu/scalar/call.h"
#include "kernels/cpu/scalar/matrices.h"

#include <cmath>
#include <limits>

namespace footlight::FL_ISA {

namespace {

Shape matrices(const Tensor& like, int64_t rows, int64_t columns) {
  Shape s = like.shape();
  s.set(s.rank() - 2, rows);
  s.set(s.rank() - 1, columns);
  return s;
}

Tensor product(const Tensor& a, const Tensor& b, bool adjoint_a = false, bool adjoint_b = false) {
  const Sizes x = sizes_of(a), y = sizes_of(b);
  const Shape out = matrices(a, adjoint_a ? x.columns : x.rows, adjoint_b ? y.rows : y.columns);
  return call("BatchMatMulV2", {a, b}, Tensor::empty(a.dtype(), out),
              {{"adj_x"_attr, adjoint_a}, {"adj_y"_attr, adjoint_b}});
}

Tensor triangular_solve(const Tensor& factor, const Tensor& b, bool adjoint) {
  return call("MatrixTriangularSolve", {factor, b}, Tensor::empty(b.dtype(), b.shape()), {{"adjoint"_attr, adjoint}});
}

template <class T>
Tensor normal_equations(const KernelContext& c, const Tensor& a, const Tensor& b, double regularizer) {
  const Sizes s = sizes_of(a);
  const bool tall = s.rows >= s.columns;
  const Tensor gramian = product(a, a, tall, !tall);
  const int64_t n = sizes_of(gramian).rows;
  for (int64_t i = 0; i < gramian.elements(); i += n * n)
    for (int64_t k = 0; k < n; ++k) gramian.data<T>()[i + k * (n + 1)] += T(static_cast<RealOf<T>>(regularizer));
  const Tensor factor = call("Cholesky", {gramian}, Tensor::empty(a.dtype(), gramian.shape()));
  for (int64_t i = 0; i < factor.elements(); i += n * n)
    if (std::isnan(std::real(factor.data<T>()[i])))
      invalid("Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide a larger "
              "l2_regularizer > 0. [Op:", c.row.name, "]");
  const Tensor right = tall ? product(a, b, true) : b;
  const Tensor x = triangular_solve(factor, triangular_solve(factor, right, false), true);
  return tall ? x : product(a, x, true);
}

// The minimum-norm solution: components with a singular value of 0 are dropped.
template <class T>
Tensor by_singular_values(const Tensor& a, const Tensor& b) {
  const OpRow& row = *find_row("Svd");
  const Sizes s = sizes_of(a);
  const int64_t n = std::min(s.rows, s.columns);
  Shape values = matrices(a, n, 1);
  Tensor outputs[] = {Tensor::empty(a.dtype(), values), Tensor::empty(a.dtype(), matrices(a, s.rows, n)),
                      Tensor::empty(a.dtype(), matrices(a, s.columns, n))};
  KernelContext svd{row, {}, {&a, 1}, outputs};
  kernel_for(DeviceType::kCpu, row.id, a.dtype())(svd);
  const Tensor inner = product(outputs[1], b, true);
  const int64_t columns = sizes_of(inner).columns;
  T* x = inner.data<T>();
  const T* value = outputs[0].data<T>();
  using Real = RealOf<T>;
  const Real least = std::numeric_limits<Real>::epsilon() * static_cast<Real>(std::max(s.rows, s.columns));
  for (int64_t i = 0; i < outputs[0].elements(); ++i) {
    const bool counts = std::abs(value[i]) > least * std::abs(value[i / n * n]);
    for (int64_t k = 0; k < columns; ++k, ++x) *x = counts ? *x / value[i] : T(0);
  }
  return product(outputs[2], inner);
}

template <class T>
void least_squares(KernelContext& c) {
  const double regularizer = *c.in<double>(2);
  if (regularizer < 0) invalid("l2_regularizer must not be negative: ", regularizer, " [Op:", c.row.name, "]");
  const Tensor& a = c.inputs[0];
  const Tensor& b = c.inputs[1];
  if (a.elements() == 0 || b.elements() == 0) {
    std::fill_n(c.out<T>(), c.outputs[0].elements(), T(0));
    return;
  }
  const bool fast = c.attrs.get_or("fast"_attr, true);
  const Tensor x = fast ? normal_equations<T>(c, a, b, regularizer) : by_singular_values<T>(a, b);
  std::copy_n(x.data<T>(), x.elements(), c.out<T>());
}

}  // namespace

FL_CPU_KERNELS {
  on_real_matrices<least_squares<float>, least_squares<double>>("MatrixSolveLs");
  FL_COMPLEX_MATRIX_KERNEL("MatrixSolveLs", least_squares);
}

}  // namespace footlight::FL_ISA
