// Eigenvalues and vectors of self-adjoint matrices; only the lower triangle is read.
#include "kernels/cpu/scalar/matrices.h"

#include <Eigen/Eigenvalues>

namespace footlight::FL_ISA {

namespace {

template <class T>
void self_adjoint(KernelContext& c) {
  const bool vectors = c.attrs.get_or("compute_v"_attr, true);
  const int64_t n = sizes_of(c.inputs[0]).rows;
  if (n == 0) return;
  for_matrices(c, [&](int64_t i) {
    const Eigen::SelfAdjointEigenSolver<Matrix<T>> solver(
        input_matrix<T>(c, 0, i), vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
    if (solver.info() != Eigen::Success)
      invalid("Self-adjoint eigen decomposition was not successful. The input might not be valid: NaN or infinity in "
              "it? [Op:", c.row.name, "]");
    for (int64_t k = 0; k < n; ++k) c.out<T>(0)[i * n + k] = T(solver.eigenvalues()[k]);
    if (vectors) output_matrix<T>(c, 1, i) = solver.eigenvectors();
  });
}

}  // namespace

FL_CPU_KERNELS { FL_WIDE_MATRIX_KERNEL("SelfAdjointEigV2", self_adjoint); }

}  // namespace footlight::FL_ISA
