// Eigenvalues and vectors of any square matrices.
#include "kernels/cpu/scalar/matrices.h"

#include <Eigen/Eigenvalues>

namespace footlight::FL_ISA {

namespace {

// Computes in 64-bit floats `W` or in complex numbers of them; `R` is the precision of the output.
template <class T, class W, class R>
void general(KernelContext& c) {
  using Solver = std::conditional_t<std::is_floating_point_v<W>, Eigen::EigenSolver<Matrix<W>>,
                                    Eigen::ComplexEigenSolver<Matrix<W>>>;
  const bool vectors = c.attrs.get_or("compute_v"_attr, true);
  const int64_t n = sizes_of(c.inputs[0]).rows;
  if (n == 0) return;
  for_matrices(c, [&](int64_t i) {
    const Matrix<W> matrix = input_matrix<T>(c, 0, i).template cast<W>();
    if (!matrix.allFinite()) invalid("Eigen decomposition was not successful: NaN or infinity in the input [Op:Eig]");
    const Solver solver(matrix, vectors);
    if (solver.info() != Eigen::Success) invalid("Eigen decomposition did not converge [Op:Eig]");
    for (int64_t k = 0; k < n; ++k) c.out<std::complex<R>>(0)[i * n + k] = std::complex<R>(solver.eigenvalues()[k]);
    if (vectors) output_matrix<std::complex<R>>(c, 1, i) = solver.eigenvectors().template cast<std::complex<R>>();
  });
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("Eig", bit_of(DType::kFloat32), general<float, double, float>);
  on_cpu("Eig", bit_of(DType::kFloat64), general<double, double, double>);
  on_cpu("Eig", bit_of(DType::kComplex64), general<std::complex<float>, std::complex<double>, float>);
  on_cpu("Eig", bit_of(DType::kComplex128), general<std::complex<double>, std::complex<double>, double>);
}

}  // namespace footlight::FL_ISA
