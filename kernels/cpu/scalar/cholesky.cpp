// Cholesky decomposition of complex matrices. Only the lower triangle is read; a matrix that is not positive definite
// gives NaN.
#include "kernels/cpu/scalar/matrices.h"

#include <Eigen/Cholesky>

namespace footlight::FL_ISA {

namespace {

template <class T>
void cholesky(KernelContext& c) {
  for_matrices(c, [&](int64_t i) {
    auto out = output_matrix<T>(c, 0, i);
    if (out.size() == 0) return;
    const Eigen::LLT<Matrix<T>> factor(input_matrix<T>(c, 0, i));
    if (factor.info() == Eigen::Success) out = Matrix<T>(factor.matrixL());
    else out = Matrix<T>(Matrix<T>::Constant(out.rows(), out.cols(), std::numeric_limits<RealOf<T>>::quiet_NaN())
                             .template triangularView<Eigen::Lower>());
  });
}

}  // namespace

FL_CPU_KERNELS { FL_COMPLEX_MATRIX_KERNEL("Cholesky", cholesky); }

}  // namespace footlight::FL_ISA
