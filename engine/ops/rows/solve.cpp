// Rows of linear systems: inverse, determinants, solutions, Cholesky's factor.
#include "engine/ops/define.h"
#include "engine/ops/matrix.h"
#include "engine/ops/rows/matrix_shapes.h"

namespace footlight {

namespace {

void square_shape(Inference& i) { i.output_shapes[0] = infer::square_matrices(i); }

void determinant_shape(Inference& i) {
  const Shape s = infer::square_matrices(i);
  for (Shape& out : i.output_shapes) out = s.has_rank() ? infer::batch_of(s) : s;
}

// The left side (rows x columns) and the right (rows x number of systems); the batches broadcast, or must be equal.
Shape solution_shape(Inference& i, const Shape& left, bool broadcasts, bool square = true) {
  infer::check_min_rank(i, 1, 2);
  const Shape& right = i.shape(1);
  if (!left.has_rank() && !right.has_rank()) return left;
  if (!left.has_rank() || !right.has_rank()) {
    if (broadcasts) return Shape::unknown_rank();
    // Both sides have one batch and rank. A square matrix returns as many rows as it takes.
    if (left.has_rank())
      return infer::matrices(infer::batch_of(left), infer::columns_of(left), -1);
    return infer::matrices(infer::batch_of(right), square ? infer::rows_of(right) : kUnknownDim,
                           infer::columns_of(right));
  }
  const int64_t most = std::max(infer::rows_of(right), infer::columns_of(left));
  const int64_t rows = infer::rows_of(left);
  const int64_t given = infer::rows_of(right);
  if (rows >= 0 && given >= 0 && rows != given)
    invalid("Input matrix and rhs are incompatible: the matrices of shape ", left.to_string(), " require ", rows,
            " rows, rhs has the shape ", right.to_string(), " [Op:", i.row.name, "]");
  Shape batch;
  try {
    if (!broadcasts && left.rank() != right.rank()) invalid("");
    batch = broadcasts ? broadcast(infer::batch_of(left), infer::batch_of(right))
                       : merge(infer::batch_of(left), infer::batch_of(right));
  } catch (const Error&) {
    invalid(broadcasts ? "The batches of matrix and rhs do not broadcast" : "All input tensors must have the same rank "
            "and outer dimensions", ": their shapes are ", left.to_string(), " and ", right.to_string(),
            " [Op:", i.row.name, "]");
  }
  return infer::matrices(batch, square ? most : infer::columns_of(left), infer::columns_of(right));
}

void solve_shape(Inference& i) { i.output_shapes[0] = solution_shape(i, infer::square_matrices(i), false); }
void triangular_solve_shape(Inference& i) { i.output_shapes[0] = solution_shape(i, infer::square_matrices(i), true); }
void least_squares_shape(Inference& i) {
  infer::check_min_rank(i, 0, 2);
  infer::check_rank(i, 2, 0);
  i.output_shapes[0] = solution_shape(i, i.shape(0), false, false);
}

void inverse_gradient(GradientCall& c) {
  const bool adjoint = c.attrs.get_or("adjoint"_attr, false);
  const Tensor& y = c.outputs[0];
  const Tensor inner = ops::product(c.output_gradients[0], y, adjoint, !adjoint);
  c.input_gradients[0] = ops::neg(ops::product(y, inner, !adjoint, false));
}

// Multiplies the adjoint of each inverse by its `scale`.
Tensor times_inverse(const Tensor& scale, const Tensor& matrix) {
  const Tensor wide[] = {ops::shape(scale), ops::ints({1, 1})};
  return ops::mul(ops::reshape(scale, ops::concat(wide, 0)), ops::inverse(matrix, true));
}

void determinant_gradient(GradientCall& c) {
  c.input_gradients[0] = times_inverse(ops::mul(c.output_gradients[0], c.outputs[0]), c.inputs[0]);
}

// The sign is piecewise constant.
void log_determinant_gradient(GradientCall& c) {
  if (c.output_gradients[1]) c.input_gradients[0] = times_inverse(c.output_gradients[1], c.inputs[0]);
}

// The gradient of the matrix in A x = b or A^H x = b, from that of b.
Tensor system_gradient(const Tensor& x, const Tensor& gradient_b, bool adjoint) {
  return ops::neg(adjoint ? ops::product(x, gradient_b, false, true) : ops::product(gradient_b, x, false, true));
}

void solve_gradient(GradientCall& c) {
  const bool adjoint = c.attrs.get_or("adjoint"_attr, false);
  c.input_gradients[1] = ops::solve(c.inputs[0], c.output_gradients[0], !adjoint);
  c.input_gradients[0] = system_gradient(c.outputs[0], c.input_gradients[1], adjoint);
}

void triangular_solve_gradient(GradientCall& c) {
  const bool adjoint = c.attrs.get_or("adjoint"_attr, false);
  const bool lower = c.attrs.get_or("lower"_attr, true);
  const Tensor b = ops::triangular_solve(c.inputs[0], c.output_gradients[0], lower, !adjoint);
  const Tensor a = system_gradient(c.outputs[0], b, adjoint);
  c.input_gradients[0] = ops::sum_to_shape_of(lower ? ops::band(a, -1, 0) : ops::band(a, 0, -1), c.inputs[0]);
  c.input_gradients[1] = ops::sum_to_shape_of(b, c.inputs[1]);
}

void cholesky_gradient(GradientCall& c) {
  const Tensor& l = c.outputs[0];
  const Tensor l_inverse = ops::triangular_solve(l, ops::eye_like(l), true, false);
  Tensor middle = ops::product(l, c.output_gradients[0], true, false);
  middle = ops::band(ops::with_diagonal(middle, ops::scaled(ops::diagonal_of(middle), 0.5)), -1, 0);
  const Tensor a = ops::product(ops::product(l_inverse, middle, true, false), l_inverse);
  c.input_gradients[0] = ops::scaled(ops::add(a, ops::adjoint(a)), 0.5);
}

// The gradient for sizes known only at run time: a term that is 0 for tall matrices plus one that is 0 for wide ones.
// With a regularizer both are one product of the residuals.
void least_squares_gradient_of_any_size(GradientCall& c) {
  const Tensor& a = c.inputs[0];
  const Tensor& x = c.outputs[0];
  const Tensor a_adjoint = ops::adjoint(a);
  const auto solved = [&](const Tensor& matrix, const Tensor& rhs) {
    return apply("MatrixSolveLs"_op, {matrix, rhs, c.inputs[2]}, {{"fast"_attr, true}});
  };
  const Tensor gradient_b = solved(a_adjoint, c.output_gradients[0]);
  const Tensor residual = ops::sub(c.inputs[1], ops::product(a, x));
  const Tensor other = ops::sub(c.output_gradients[0], ops::product(a, gradient_b, true, false));
  const Tensor plain = ops::add(ops::product(residual, solved(a, gradient_b), false, true),
                                ops::product(solved(a_adjoint, x), other, false, true));
  const Tensor none = ops::equal(c.inputs[2], ops::number(0, DType::kFloat64));
  const Tensor divisor = ops::where(none, ops::number(1, DType::kFloat64), c.inputs[2]);
  const Tensor regularized = ops::div(ops::product(residual, other, false, true), ops::cast(divisor, a.dtype()));
  c.input_gradients[0] =
      ops::sub(ops::where(none, plain, regularized), ops::product(gradient_b, x, false, true));
  c.input_gradients[1] = gradient_b;
}

// Differentiates the normal equations of the first kind (more rows than columns) or the second.
void least_squares_gradient(GradientCall& c) {
  if (!c.attrs.get_or("fast"_attr, true))
    fail(ErrorKind::kValue, "no gradient is defined for MatrixSolveLs with fast=False; leave fast at True");
  const Tensor& a = c.inputs[0];
  const Tensor& b = c.inputs[1];
  const Tensor& g = c.output_gradients[0];
  const Shape& s = a.shape();
  if (!s.has_rank() || infer::rows_of(s) < 0 || infer::columns_of(s) < 0) {
    least_squares_gradient_of_any_size(c);
    return;
  }
  const bool tall = infer::rows_of(s) >= infer::columns_of(s);
  const Tensor chol = ops::gramian_cholesky(a, ops::cast(c.inputs[2], a.dtype()), tall);
  if (tall) {
    const Tensor z = ops::cholesky_solve(chol, g);
    const Tensor xz = ops::product(c.outputs[0], z, false, true);
    c.input_gradients[0] = ops::sub(ops::product(b, z, false, true), ops::product(a, ops::add(xz, ops::adjoint(xz))));
    c.input_gradients[1] = ops::product(a, z);
    return;
  }
  const Tensor gradient_b = ops::cholesky_solve(chol, ops::product(a, g));
  const Tensor inner = ops::cholesky_solve(chol, b);
  const Tensor first = ops::product(gradient_b, ops::product(inner, a, true, false));
  const Tensor second = ops::product(inner, ops::sub(g, ops::product(a, gradient_b, true, false)), false, true);
  c.input_gradients[0] = ops::sub(second, first);
  c.input_gradients[1] = gradient_b;
}

// Returns the upper right quarter of each matrix.
Tensor upper_right(const Tensor& x) {
  const Tensor rows[] = {ops::integer(-2), x};
  const Tensor top = apply_all("Split"_op.row(), rows, {{"num_split"_attr, int64_t{2}}})[0];
  const Tensor columns[] = {ops::integer(-1), top};
  return apply_all("Split"_op.row(), columns, {{"num_split"_attr, int64_t{2}}})[1];
}

// The derivative in a direction is the upper right block of the exponential of (A D; 0 A).
void exponential_gradient(GradientCall& c) {
  const Tensor a = ops::adjoint(c.inputs[0]);
  const Tensor& g = c.output_gradients[0];
  const Tensor top[] = {a, g}, bottom[] = {ops::zeros_like(a), a};
  const Tensor halves[] = {ops::concat(top, -1), ops::concat(bottom, -1)};
  const Tensor whole = apply("MatrixExponential"_op, {ops::concat(halves, -2)});
  c.input_gradients[0] = upper_right(whole);
}

constexpr const char* kTypes = "T: float64|float32|float16|complex64|complex128";
constexpr const char* kWithAdjoint = "adjoint: bool = false; T: float64|float32|float16|complex64|complex128";

}  // namespace

FL_ROWS(solve) {
  return {
      {"MatrixInverse", "input: T -> output: T", kWithAdjoint, square_shape, inverse_gradient, OpFamily::kProduct,
       "the inverses of square matrices", {.flops = flops::cubic<6>}},
      {"MatrixDeterminant", "input: T -> output: T", kTypes, determinant_shape, determinant_gradient,
       OpFamily::kProduct, "the determinants of square matrices", {.flops = flops::cubic<2>}},
      {"LogMatrixDeterminant", "input: T -> sign: T, log_abs_determinant: T", kTypes, determinant_shape,
       log_determinant_gradient, OpFamily::kProduct,
       "sign and logarithm of the absolute value of the determinants of square matrices", {.flops = flops::cubic<2>}},
      {"MatrixSolve", "matrix: T, rhs: T -> output: T", kWithAdjoint, solve_shape, solve_gradient, OpFamily::kProduct,
       "the x of matrix * x = rhs", {.flops = flops::solve}},
      {"MatrixTriangularSolve", "matrix: T, rhs: T -> output: T",
       "lower: bool = true; adjoint: bool = false; T: float64|float32|float16|bfloat16|complex64|complex128",
       triangular_solve_shape, triangular_solve_gradient, OpFamily::kProduct,
       "the x of matrix * x = rhs, where only one triangle of the matrix is read",
       {.flops = flops::triangular_solve}},
      {"Cholesky", "input: T -> output: T", kTypes, square_shape, cholesky_gradient, OpFamily::kProduct,
       "the lower triangle L of positive definite matrices L * L^H; of others NaN", {.flops = flops::cubic<1>}},
      {"MatrixExponential", "input: T -> output: T", kTypes, square_shape, exponential_gradient, OpFamily::kProduct,
       "the exponentials of square matrices"},
      {"MatrixSolveLs", "matrix: T, rhs: T, l2_regularizer: float64 -> output: T",
       "T: float64|float32|float16|complex64|complex128; fast: bool = true", least_squares_shape,
       least_squares_gradient, OpFamily::kProduct, "the x that comes closest to matrix * x = rhs",
       {.host_inputs = 4, .flops = flops::solve}},
  };
}

}  // namespace footlight
