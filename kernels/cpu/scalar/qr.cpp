// QR of complex matrices by Householder's reflections.
#include "kernels/cpu/scalar/matrices.h"

#include <Eigen/QR>

namespace footlight::FL_ISA {

namespace {

template <class T>
void qr(KernelContext& c) {
  for_matrices(c, [&](int64_t i) {
    auto q = output_matrix<T>(c, 0, i);
    auto r = output_matrix<T>(c, 1, i);
    const auto in = input_matrix<T>(c, 0, i);
    if (in.size() == 0) {
      q.setIdentity();
      return;
    }
    const Eigen::HouseholderQR<Matrix<T>> qr(in);
    q = qr.householderQ() * Matrix<T>::Identity(q.rows(), q.cols());
    r = Matrix<T>(qr.matrixQR().template triangularView<Eigen::Upper>()).topRows(r.rows());
  });
}

}  // namespace

FL_CPU_KERNELS { FL_WIDE_COMPLEX_MATRIX_KERNEL("Qr", qr); }

}  // namespace footlight::FL_ISA
