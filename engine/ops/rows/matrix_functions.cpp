// Rows of functions of matrices, the square root and the logarithm, and of tridiagonal systems.
#include "engine/ops/define.h"
#include "engine/ops/matrix.h"
#include "engine/ops/rows/matrix_shapes.h"

namespace footlight {

namespace {

void square_shape(Inference& i) { i.output_shapes[0] = infer::square_matrices(i); }

// Inserts a dimension of 1 before and after the rows of matrices, or before and after their columns, so that a product
// of both has one row for each pair of rows and one column for each pair of columns.
Tensor spread_rows(const Tensor& x) { return ops::expand_dims(ops::expand_dims(x, -1), -3); }
Tensor spread_columns(const Tensor& x) { return ops::expand_dims(ops::expand_dims(x, -2), -4); }

// With R = sqrt(A), dA = R dR + dR R. So the gradient X of A solves R^H X + X R^H = G, one linear system for the
// elements of X in a row: its matrix is the sum of two Kronecker products.
void square_root_gradient(GradientCall& c) {
  const Tensor& root = c.outputs[0];
  const Tensor identity = ops::eye_like(root);
  const Tensor sizes = ops::shape(root);
  const Tensor batch = ops::columns(sizes, 0, -2);
  const Tensor length = ops::mul(ops::columns(sizes, -2, -1), ops::columns(sizes, -1, std::nullopt));
  const Tensor pairs = ops::add(ops::mul(spread_rows(ops::adjoint(root)), spread_columns(identity)),
                                ops::mul(spread_rows(identity), spread_columns(ops::conj(root))));
  const Tensor square[] = {batch, length, length}, column[] = {batch, length, ops::ints({1})};
  const Tensor solved = ops::solve(ops::reshape(pairs, ops::concat(square, 0)),
                                   ops::reshape(c.output_gradients[0], ops::concat(column, 0)), false);
  c.input_gradients[0] = ops::reshape(solved, sizes);
}

// The diagonals are rows: the upper one without its last element, the main one, the lower one without its first.
void tridiagonal_shape(Inference& i) {
  if (i.attrs.get_or("perturb_singular"_attr, false) && !i.attrs.get_or("partial_pivoting"_attr, true))
    invalid("partial_pivoting must be True where perturb_singular is [Op:TridiagonalSolve]");
  infer::check_min_rank(i, 0, 2);
  infer::check_min_rank(i, 1, 2);
  const Shape &diagonals = i.shape(0), &rhs = i.shape(1);
  i.output_shapes[0] = rhs;
  if (!diagonals.has_rank()) return;
  if (infer::rows_of(diagonals) >= 0 && infer::rows_of(diagonals) != 3)
    invalid("Expected diagonals to be provided as a matrix with 3 rows, got ", infer::rows_of(diagonals),
            " rows: their shape is ", diagonals.to_string(), " [Op:TridiagonalSolve]");
  if (!rhs.has_rank()) {
    i.output_shapes[0] = infer::matrices(infer::batch_of(diagonals), infer::columns_of(diagonals), kUnknownDim);
    return;
  }
  const int64_t size = infer::columns_of(diagonals), rows = infer::rows_of(rhs);
  if (size >= 0 && rows >= 0 && size != rows)
    invalid("Expected the same number of left-hand sides and right-hand sides, got ", size, " and ", rows,
            ": the shapes of diagonals and rhs are ", diagonals.to_string(), " and ", rhs.to_string(),
            " [Op:TridiagonalSolve]");
  if (!compatible(infer::batch_of(diagonals), infer::batch_of(rhs)))
    invalid("All input tensors must have the same rank and outer dimensions: the shapes of diagonals and rhs are ",
            diagonals.to_string(), " and ", rhs.to_string(), " [Op:TridiagonalSolve]");
  i.output_shapes[0] = infer::matrices(merge(infer::batch_of(diagonals), infer::batch_of(rhs)), std::max(size, rows),
                                       infer::columns_of(rhs));
}

// x[..., j + 1] and x[..., j - 1], with 0 at the end that has no neighbour.
Tensor next_of(const Tensor& x) {
  const Tensor parts[] = {ops::columns(x, 1, std::nullopt), ops::zeros_like(ops::columns(x, 0, 1))};
  return ops::concat(parts, -1);
}
Tensor previous_of(const Tensor& x) {
  const Tensor parts[] = {ops::zeros_like(ops::columns(x, 0, 1)), ops::columns(x, 0, -1)};
  return ops::concat(parts, -1);
}

void tridiagonal_gradient(GradientCall& c) {
  const Tensor parts[] = {ops::integer(-2), ops::conj(c.inputs[0])};
  const std::vector<Tensor> rows = apply_all("Split"_op.row(), parts, {{"num_split"_attr, int64_t{3}}});
  const Tensor adjoint[] = {next_of(rows[2]), rows[1], previous_of(rows[0])};
  const Tensor rhs = apply("TridiagonalSolve"_op, {ops::concat(adjoint, -2), c.output_gradients[0]}, c.attrs);
  c.input_gradients[1] = rhs;
  const Tensor flowing = ops::transpose_matrix(rhs), x = ops::adjoint(c.outputs[0]);
  const auto summed = [&](const Tensor& other) { return ops::sum(ops::mul(flowing, other), ops::ints({-2}), true); };
  const Tensor all[] = {summed(next_of(x)), summed(x), summed(previous_of(x))};
  c.input_gradients[0] = ops::neg(ops::concat(all, -2));
}

}  // namespace

FL_ROWS(matrix_functions) {
  return {
      {"MatrixSquareRoot", "input: T -> output: T", "T: float64|float32|float16|complex64|complex128", square_shape,
       square_root_gradient, OpFamily::kProduct, "the matrices whose squares are the given ones",
       {.flops = flops::cubic<25>}},
      {"MatrixLogarithm", "input: T -> output: T", "T: complex64|complex128", square_shape, nullptr,
       OpFamily::kProduct, "the matrices whose exponentials are the given ones", {.flops = flops::cubic<25>}},
      {"TridiagonalSolve", "diagonals: T, rhs: T -> output: T",
       "partial_pivoting: bool = true; perturb_singular: bool = false; T: float64|float32|complex64|complex128",
       tridiagonal_shape, tridiagonal_gradient, OpFamily::kProduct,
       "the x of matrix * x = rhs, where the matrix has three diagonals"},
  };
}

}  // namespace footlight
