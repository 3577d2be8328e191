// Ops based on the pivoted LU decomposition of complex matrices: inverse, linear systems,
// determinants, LU itself.
#include "kernels/cpu/scalar/matrices.h"

#include <Eigen/LU>

namespace footlight::FL_ISA {

namespace {

template <class T>
using Lu = Eigen::PartialPivLU<Matrix<T>>;

bool adjoint_of(const KernelContext& c) { return c.attrs.get_or("adjoint"_attr, false); }

template <class T>
Lu<T> decomposed(const KernelContext& c, int64_t i, bool adjoint) {
  Matrix<T> m = input_matrix<T>(c, 0, i);
  if (adjoint) m.adjointInPlace();
  return Lu<T>(std::move(m));
}

// Throws if a pivot is 0 or NaN.
template <class T>
void check_invertible(const KernelContext& c, const Lu<T>& lu) {
  if (lu.matrixLU().diagonal().cwiseAbs().minCoeff() > RealOf<T>(0)) return;
  invalid("Input matrix is not invertible: a pivot is 0 or not a number [Op:", c.row.name, "]");
}

// Calls body(index, decomposition, output) for each non-empty matrix. Throws if one is not invertible.
template <class T, class Body>
void for_invertible(KernelContext& c, bool adjoint, Body&& body) {
  for_matrices(c, [&](int64_t i) {
    auto out = output_matrix<T>(c, 0, i);
    if (out.size() == 0) return;
    const Lu<T> lu = decomposed<T>(c, i, adjoint);
    check_invertible(c, lu);
    body(i, lu, out);
  });
}

template <class T>
void inverse(KernelContext& c) {
  for_invertible<T>(c, adjoint_of(c), [](int64_t, const Lu<T>& lu, auto& out) { out = lu.inverse(); });
}

template <class T>
void solve(KernelContext& c) {
  for_invertible<T>(c, adjoint_of(c),
                    [&](int64_t i, const Lu<T>& lu, auto& out) { out = lu.solve(input_matrix<T>(c, 1, i)); });
}

template <class T>
struct SignAndLog {
  T sign{1};
  RealOf<T> log{0};
};

template <class T>
SignAndLog<T> sign_and_log(const Lu<T>& lu) {
  SignAndLog<T> out{T(static_cast<RealOf<T>>(lu.permutationP().determinant()))};
  for (Eigen::Index k = 0; k < lu.rows(); ++k) {
    const T pivot = lu.matrixLU()(k, k);
    const RealOf<T> size = std::abs(pivot);
    out.log += std::log(size);
    out.sign *= size == RealOf<T>(0) ? T(0) : pivot / size;
  }
  return out;
}

template <class T>
void log_determinant(KernelContext& c) {
  for_matrices(c, [&](int64_t i) {
    const auto in = input_matrix<T>(c, 0, i);
    const SignAndLog<T> d = in.size() ? sign_and_log<T>(Lu<T>(in)) : SignAndLog<T>();
    c.out<T>(0)[i] = d.sign;
    c.out<T>(1)[i] = T(d.log);
  });
}

template <class T>
void determinant(KernelContext& c) {
  for_matrices(c, [&](int64_t i) {
    const auto in = input_matrix<T>(c, 0, i);
    c.out<T>()[i] = in.size() ? Lu<T>(in).determinant() : T(1);
  });
}

template <class T>
void lu(KernelContext& c) {
  for_invertible<T>(c, false, [&](int64_t i, const Lu<T>& lu, auto& out) {
    out = lu.matrixLU();
    const auto& to = lu.permutationP().indices();
    for (Eigen::Index row = 0; row < to.size(); ++row) {
      const int64_t at = i * to.size() + to[row];
      if (c.outputs[1].dtype() == DType::kInt64) c.out<int64_t>(1)[at] = row;
      else c.out<int32_t>(1)[at] = static_cast<int32_t>(row);
    }
  });
}

}  // namespace

FL_CPU_KERNELS {
  FL_COMPLEX_MATRIX_KERNEL("MatrixInverse", inverse);
  FL_COMPLEX_MATRIX_KERNEL("MatrixSolve", solve);
  FL_COMPLEX_MATRIX_KERNEL("MatrixDeterminant", determinant);
  FL_COMPLEX_MATRIX_KERNEL("LogMatrixDeterminant", log_determinant);
  FL_COMPLEX_MATRIX_KERNEL("Lu", lu);
}

}  // namespace footlight::FL_ISA
