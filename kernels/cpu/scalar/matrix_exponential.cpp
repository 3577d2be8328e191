// The exponential of complex matrices: scaling and squaring with a Pade approximant.
#include "kernels/cpu/scalar/matrices.h"

#include <Eigen/LU>

#include <cmath>

namespace footlight::FL_ISA {

namespace {

// Coefficients of the approximant of order 13, exact to double precision while the norm is below kLargest.
constexpr double kCoefficients[] = {64764752532480000., 32382376266240000., 7771770303897600., 1187353796428800.,
                                    129060195264000.,   10559470521600.,    670442572800.,     33522128640.,
                                    1323241920.,        40840800.,          960960.,           16380.,
                                    182.,               1.};
constexpr double kLargest = 5.371920351148152;

template <class T>
Matrix<T> exponential(Matrix<T> a) {
  const double norm = a.cwiseAbs().colwise().sum().maxCoeff();
  if (!std::isfinite(norm)) return Matrix<T>::Constant(a.rows(), a.cols(), std::numeric_limits<double>::quiet_NaN());
  const int halvings = norm > kLargest ? static_cast<int>(std::ceil(std::log2(norm / kLargest))) : 0;
  a *= std::ldexp(1.0, -halvings);
  const auto& b = kCoefficients;
  const Matrix<T> one = Matrix<T>::Identity(a.rows(), a.cols());
  const Matrix<T> a2 = a * a, a4 = a2 * a2, a6 = a4 * a2;
  Matrix<T> odd = a6 * (b[13] * a6 + b[11] * a4 + b[9] * a2);
  odd += b[7] * a6 + b[5] * a4 + b[3] * a2 + b[1] * one;
  const Matrix<T> u = a * odd;
  Matrix<T> v = a6 * (b[12] * a6 + b[10] * a4 + b[8] * a2);
  v += b[6] * a6 + b[4] * a4 + b[2] * a2 + b[0] * one;
  Matrix<T> out = Eigen::PartialPivLU<Matrix<T>>(v - u).solve(u + v);
  for (int k = 0; k < halvings; ++k) out = out * out;
  return out;
}

template <class T>
void matrix_exponential(KernelContext& c) {
  for_matrices(c, [&](int64_t i) {
    auto out = output_matrix<T>(c, 0, i);
    if (out.size()) out = exponential<T>(input_matrix<T>(c, 0, i));
  });
}

}  // namespace

FL_CPU_KERNELS { FL_WIDE_COMPLEX_MATRIX_KERNEL("MatrixExponential", matrix_exponential); }

}  // namespace footlight::FL_ISA
