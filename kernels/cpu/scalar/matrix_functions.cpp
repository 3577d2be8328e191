// The square root and the logarithm of matrices, through their Schur form.
#include "kernels/cpu/scalar/matrices.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include <cmath>
#include <complex>
#include <limits>

namespace footlight::FL_ISA {

namespace {

template <class T>
Matrix<T> not_a_number(int64_t n) {
  return Matrix<T>::Constant(n, n, T(std::numeric_limits<RealOf<T>>::quiet_NaN()));
}

// The upper triangle whose square is `u`, column by column: u(i, j) is the sum of root(i, k) root(k, j) over k from
// i to j.
template <class T>
Matrix<T> triangle_root(const Matrix<T>& u) {
  const int64_t n = u.rows();
  Matrix<T> root = Matrix<T>::Zero(n, n);
  for (int64_t j = 0; j < n; ++j) {
    root(j, j) = std::sqrt(u(j, j));
    for (int64_t i = j - 1; i >= 0; --i) {
      T left = u(i, j);
      for (int64_t k = i + 1; k < j; ++k) left -= root(i, k) * root(k, j);
      root(i, j) = left == T(0) ? left : left / (root(i, i) + root(j, j));
    }
  }
  return root;
}

template <class T>
Matrix<T> square_root_of(const Eigen::ComplexSchur<Matrix<T>>& schur) {
  const Matrix<T> u = schur.matrixT().template triangularView<Eigen::Upper>();
  return schur.matrixU() * triangle_root(u) * schur.matrixU().adjoint();
}

// The result is NaN for a real matrix with a negative eigenvalue, which has no real root.
template <class T>
Matrix<T> square_root_of(const Matrix<T>& in) {
  using Complex = std::complex<T>;
  const Eigen::RealSchur<Matrix<T>> schur(in);
  const Matrix<T>& form = schur.matrixT();
  const int64_t n = in.rows();
  for (int64_t k = 0; k < n; ++k) {
    const bool is_in_pair = (k + 1 < n && form(k + 1, k) != T(0)) || (k > 0 && form(k, k - 1) != T(0));
    if (!is_in_pair && form(k, k) < T(0)) return not_a_number<T>(n);
  }
  Eigen::ComplexSchur<Matrix<Complex>> triangle(n);
  triangle.computeFromHessenberg(form.template cast<Complex>(), schur.matrixU().template cast<Complex>());
  return square_root_of(triangle).real();
}

template <class T>
Matrix<std::complex<T>> square_root_of(const Matrix<std::complex<T>>& in) {
  return square_root_of(Eigen::ComplexSchur<Matrix<std::complex<T>>>(in));
}

template <class T>
void square_root(KernelContext& c) {
  for_matrices(c, [&](int64_t i) {
    const Matrix<T> in = input_matrix<T>(c, 0, i);
    if (in.size() == 0) return;
    output_matrix<T>(c, 0, i) = in.allFinite() ? square_root_of(in) : not_a_number<T>(in.rows());
  });
}

// The logarithm of an upper triangle: roots are taken until it is close to the identity I + X, whose logarithm is the
// integral of X / (I + t X) for t from 0 to 1, by a quadrature of 7 nodes; exact to double precision for |X| < 0.25.
template <class T>
Matrix<T> triangle_logarithm(Matrix<T> u) {
  constexpr double kNodes[] = {0.025446043828620738, 0.12923440720030278, 0.2970774243113014, 0.5,
                               0.7029225756886986,   0.8707655927996972,  0.9745539561713793};
  constexpr double kWeights[] = {0.06474248308443485, 0.13985269574463833, 0.19091502525255947, 0.20897959183673470,
                                 0.19091502525255947, 0.13985269574463833, 0.06474248308443485};
  constexpr int kMaxRoots = 100;
  const Matrix<T> one = Matrix<T>::Identity(u.rows(), u.cols());
  int roots = 0;
  while (!((u - one).cwiseAbs().colwise().sum().maxCoeff() < 0.25)) {
    if (++roots > kMaxRoots || !u.allFinite()) return not_a_number<T>(u.rows());  // the matrix is singular
    u = triangle_root(u);
  }
  const Matrix<T> x = u - one;
  Matrix<T> out = Matrix<T>::Zero(u.rows(), u.cols());
  for (size_t k = 0; k < std::size(kNodes); ++k) {
    const Matrix<T> divisor = one + kNodes[k] * x;
    out += kWeights[k] * divisor.template triangularView<Eigen::Upper>().solve(x);
  }
  return std::ldexp(1.0, roots) * out;
}

template <class T>
void logarithm(KernelContext& c) {
  for_matrices(c, [&](int64_t i) {
    const Matrix<T> in = input_matrix<T>(c, 0, i);
    if (in.size() == 0) return;
    if (in.rows() == 1) {
      output_matrix<T>(c, 0, i)(0, 0) = std::log(in(0, 0));
      return;
    }
    if (!in.allFinite()) {
      output_matrix<T>(c, 0, i) = not_a_number<T>(in.rows());
      return;
    }
    const Eigen::ComplexSchur<Matrix<T>> schur(in);
    const Matrix<T> u = schur.matrixT().template triangularView<Eigen::Upper>();
    Matrix<T> log = triangle_logarithm<T>(u);
    for (int64_t k = 0; k < u.rows(); ++k)
      if (u(k, k) != T(0)) log(k, k) = std::log(u(k, k));
    output_matrix<T>(c, 0, i) = schur.matrixU() * log * schur.matrixU().adjoint();
  });
}

}  // namespace

FL_CPU_KERNELS {
  FL_WIDE_MATRIX_KERNEL("MatrixSquareRoot", square_root);
  FL_WIDE_COMPLEX_MATRIX_KERNEL("MatrixLogarithm", logarithm);
}

}  // namespace footlight::FL_ISA
