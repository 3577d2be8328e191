// Least squares: by the normal equations, or, slower and for any rank, by an orthogonal decomposition.
#include "kernels/cpu/once/matrices.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>

namespace footlight {
namespace FL_ISA {

namespace {

template <class T>
Matrix<T> normal_equations(const KernelContext& c, const Matrix<T>& a, const Matrix<T>& b, double regularizer) {
  const bool tall = a.rows() >= a.cols();
  Matrix<T> gramian = tall ? Matrix<T>(a.adjoint() * a) : Matrix<T>(a * a.adjoint());
  gramian.diagonal().array() += T(static_cast<RealOf<T>>(regularizer));
  const Eigen::LLT<Matrix<T>> factor(gramian);
  if (factor.info() != Eigen::Success)
    invalid("Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide a larger "
            "l2_regularizer > 0. [Op:", c.row.name, "]");
  if (tall) return factor.solve(a.adjoint() * b);
  return a.adjoint() * factor.solve(b);
}

template <class T>
void least_squares(KernelContext& c) {
  static const AttrName kFast{"fast"};
  const bool fast = c.attrs.get_or(kFast, true);
  const double regularizer = *c.in<double>(2);
  if (regularizer < 0) invalid("l2_regularizer must not be negative: ", regularizer, " [Op:", c.row.name, "]");
  for_matrices(c, [&](int64_t i) {
    auto out = output_matrix<T>(c, 0, i);
    const Matrix<T> a = input_matrix<T>(c, 0, i);
    const Matrix<T> b = input_matrix<T>(c, 1, i);
    if (a.size() == 0 || b.size() == 0) out.setZero();
    else if (fast) out = normal_equations<T>(c, a, b, regularizer);
    else out = Eigen::CompleteOrthogonalDecomposition<Matrix<T>>(a).solve(b);
  });
}

}  // namespace

FL_CPU_KERNELS { FL_WIDE_MATRIX_KERNEL("MatrixSolveLs", least_squares); }

}  // namespace FL_ISA
}  // namespace footlight
