// Singular values and vectors: real ones by divide and conquer, complex ones by rotations.
#include "kernels/cpu/scalar/matrices.h"

#include <Eigen/SVD>

namespace footlight::FL_ISA {

namespace {

template <class T>
using Svd = std::conditional_t<functors::is_complex_v<T>, Eigen::JacobiSVD<Matrix<T>>, Eigen::BDCSVD<Matrix<T>>>;

template <class T>
void svd(KernelContext& c) {
  const bool vectors = c.attrs.get_or("compute_uv"_attr, true);
  const bool full = c.attrs.get_or("full_matrices"_attr, false);
  const Sizes size = sizes_of(c.inputs[0]);
  const int64_t count = std::min(size.rows, size.columns);
  const unsigned wanted = !vectors ? 0
                          : full   ? Eigen::ComputeFullU | Eigen::ComputeFullV
                                   : Eigen::ComputeThinU | Eigen::ComputeThinV;
  for_matrices(c, [&](int64_t i) {
    const auto in = input_matrix<T>(c, 0, i);
    if (in.size() == 0) {
      if (vectors) output_matrix<T>(c, 1, i).setIdentity(), output_matrix<T>(c, 2, i).setIdentity();
      return;
    }
    T* s = c.out<T>(0) + i * count;
    if (!in.allFinite()) {
      const T nan(std::numeric_limits<RealOf<T>>::quiet_NaN());
      std::fill_n(s, count, nan);
      if (vectors) output_matrix<T>(c, 1, i).setConstant(nan), output_matrix<T>(c, 2, i).setConstant(nan);
      return;
    }
    const Svd<T> svd(in, wanted);
    for (int64_t k = 0; k < count; ++k) s[k] = T(svd.singularValues()[k]);
    if (!vectors) return;
    output_matrix<T>(c, 1, i) = svd.matrixU();
    output_matrix<T>(c, 2, i) = svd.matrixV();
  });
}

}  // namespace

FL_CPU_KERNELS { FL_WIDE_MATRIX_KERNEL("Svd", svd); }

}  // namespace footlight::FL_ISA
