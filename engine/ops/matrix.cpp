// Applies ops to the last two dimensions, also where the rank is unknown.
#include "engine/ops/matrix.h"

namespace footlight::ops {

namespace {

bool is_matrix(const Tensor& t) { return t.shape().has_rank() && t.shape().rank() == 2; }

// The permutation that swaps the last two dimensions, for a rank known only at run time.
Tensor swapped_at_run_time(const Tensor& x) {
  const Tensor count = rank(x);
  const Tensor last[] = {sub(count, integer(1)), sub(count, integer(2))};
  const Tensor parts[] = {range(integer(0), last[1], "Range"), pack(last, 0)};
  return concat(parts, 0);
}

}  // namespace

Tensor product(const Tensor& a, const Tensor& b, bool adjoint_a, bool adjoint_b) {
  if (is_matrix(a) && is_matrix(b))
    return apply("MatMul"_op, {adjoint_a ? conj(a) : a, adjoint_b ? conj(b) : b},
                 {{"transpose_a"_attr, adjoint_a}, {"transpose_b"_attr, adjoint_b}});
  return apply("BatchMatMulV2"_op, {a, b}, {{"adj_x"_attr, adjoint_a}, {"adj_y"_attr, adjoint_b}}, "MatMul");
}

Tensor transpose_matrix(const Tensor& x, std::string_view name) {
  const Shape& s = x.shape();
  if (!s.has_rank()) return apply("Transpose"_op, {x, swapped_at_run_time(x)}, {}, name);
  if (s.rank() < 2)
    fail(ErrorKind::kValue, "a matrix, or a batch of them, is wanted: rank 2 or more; the shape is ", s.to_string());
  std::vector<int64_t> perm(static_cast<size_t>(s.rank()));
  for (size_t d = 0; d < perm.size(); ++d) perm[d] = static_cast<int64_t>(d);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return apply("Transpose"_op, {x, ints(perm)}, {}, name);
}

Tensor adjoint(const Tensor& x) { return conj(transpose_matrix(x)); }

Tensor diagonal_matrix(const Tensor& diagonal) {
  return apply("MatrixDiagV3"_op, {diagonal, integer(0), integer(-1), integer(-1), number(0, diagonal.dtype())});
}

Tensor diagonal_of(const Tensor& x) { return apply("MatrixDiagPartV3"_op, {x, integer(0), number(0, x.dtype())}); }

Tensor with_diagonal(const Tensor& x, const Tensor& diagonal) {
  return apply("MatrixSetDiagV3"_op, {x, diagonal, integer(0)});
}

Tensor band(const Tensor& x, int64_t lower, int64_t upper) {
  return apply("MatrixBandPart"_op, {x, integer(lower, DType::kInt64), integer(upper, DType::kInt64)});
}

Tensor columns(const Tensor& x, int64_t begin, std::optional<int64_t> end) {
  return apply("StridedSlice"_op, {x, ints({0, begin}), ints({0, end.value_or(0)}), ints({1, 1})},
               {{"ellipsis_mask"_attr, int64_t{1}}, {"end_mask"_attr, end ? int64_t{0} : int64_t{2}}}, "strided_slice");
}

Tensor inverse(const Tensor& x, bool adjoint) { return apply("MatrixInverse"_op, {x}, {{"adjoint"_attr, adjoint}}); }

Tensor solve(const Tensor& matrix, const Tensor& rhs, bool adjoint) {
  return apply("MatrixSolve"_op, {matrix, rhs}, {{"adjoint"_attr, adjoint}});
}

Tensor triangular_solve(const Tensor& matrix, const Tensor& rhs, bool lower, bool adjoint) {
  return apply("MatrixTriangularSolve"_op, {matrix, rhs}, {{"lower"_attr, lower}, {"adjoint"_attr, adjoint}});
}

Tensor cholesky(const Tensor& x) { return apply("Cholesky"_op, {x}); }

Tensor cholesky_solve(const Tensor& factor, const Tensor& rhs) {
  return triangular_solve(factor, triangular_solve(factor, rhs, true, false), true, true);
}

Tensor gramian_cholesky(const Tensor& matrix, const Tensor& regularizer, bool left) {
  const Tensor gramian = product(matrix, matrix, left, !left);
  return cholesky(regularizer ? add(gramian, mul(regularizer, eye_like(gramian))) : gramian);
}

Tensor eye_like(const Tensor& square) { return diagonal_matrix(apply("OnesLike"_op, {diagonal_of(square)})); }

Tensor real(const Tensor& x) {
  if (!is_complex(x.dtype())) return x;
  return apply("Real"_op, {x}, {{"Tout"_attr, x.dtype() == DType::kComplex128 ? DType::kFloat64 : DType::kFloat32}});
}

}  // namespace footlight::ops
