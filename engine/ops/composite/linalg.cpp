// Public functions of linear algebra: decompositions, solutions, diagonals.
#include "engine/ops/composite/define.h"
#include "engine/ops/matrix.h"

#include <limits>

namespace footlight::composite {

namespace {

Arg list_of(std::span<const Tensor> tensors) {
  ArgList out;
  for (const Tensor& t : tensors) out.push_back({t});
  return {out};
}

Arg inverse(const Tensor& input, bool adjoint, std::string_view name) {
  return {apply("MatrixInverse"_op, {input}, {{"adjoint"_attr, adjoint}}, name)};
}

Arg solve(const Tensor& matrix, const Tensor& rhs, bool adjoint, std::string_view name) {
  return {apply("MatrixSolve"_op, {matrix, rhs}, {{"adjoint"_attr, adjoint}}, name)};
}

Arg triangular_solve(const Tensor& matrix, const Tensor& rhs, bool lower, bool adjoint, std::string_view name) {
  const Scope scope(name_or(name, "triangular_solve"));
  return {apply("MatrixTriangularSolve"_op, {matrix, rhs}, {{"lower"_attr, lower}, {"adjoint"_attr, adjoint}})};
}

Arg cholesky_solve(const Tensor& chol, const Tensor& rhs, std::string_view name) {
  const Scope scope(name_or(name, "cholesky_solve"));
  return {ops::cholesky_solve(chol, rhs)};
}

Arg slogdet(const Tensor& input, std::string_view name) {
  return list_of(apply_all("LogMatrixDeterminant"_op, {input}, {}, name));
}

// For positive definite matrices: twice the sum of the logarithms on the diagonal of the Cholesky factor.
Arg logdet(const Tensor& matrix, std::string_view name) {
  const Scope scope(name_or(name, "logdet"));
  const Tensor factor = ops::cholesky(matrix);
  const Tensor logs = ops::log(ops::real(ops::diagonal_of(factor)));
  return {ops::scaled(ops::sum(logs, ops::ints({-1})), 2)};
}

Arg lu(const Tensor& input, DType output_idx_type, std::string_view name) {
  return list_of(apply_all("Lu"_op, {input}, {{"output_idx_type"_attr, output_idx_type}}, name));
}

Arg qr(const Tensor& input, bool full_matrices, std::string_view name) {
  return list_of(apply_all("Qr"_op, {input}, {{"full_matrices"_attr, full_matrices}}, name));
}

std::vector<Tensor> svd_of(const Tensor& x, bool full, bool vectors, std::string_view name = {}) {
  std::vector<Tensor> all =
      apply_all("Svd"_op.row(), {&x, 1}, {{"compute_uv"_attr, vectors}, {"full_matrices"_attr, full}}, name);
  all[0] = ops::real(all[0]);
  if (!vectors) all.resize(1);
  return all;
}

Arg svd(const Tensor& tensor, bool full_matrices, bool compute_uv, std::string_view name) {
  const std::vector<Tensor> all = svd_of(tensor, full_matrices, compute_uv, name);
  return all.size() == 1 ? Arg{all[0]} : list_of(all);
}

std::vector<Tensor> eigen(const Tensor& x, bool vectors, std::string_view name) {
  return apply_all("SelfAdjointEigV2"_op.row(), {&x, 1}, {{"compute_v"_attr, vectors}}, name);
}
Arg eigh(const Tensor& x, std::string_view name) { return list_of(eigen(x, true, name)); }
Arg eigvalsh(const Tensor& x, std::string_view name) { return {eigen(x, false, name)[0]}; }

std::vector<Tensor> general_eigen(const Tensor& x, bool vectors, std::string_view name) {
  const bool wide = x.dtype() == DType::kFloat64 || x.dtype() == DType::kComplex128;
  return apply_all("Eig"_op.row(), {&x, 1},
                   {{"compute_v"_attr, vectors}, {AttrName("Tout"), wide ? DType::kComplex128 : DType::kComplex64}},
                   name);
}
Arg eig(const Tensor& x, std::string_view name) { return list_of(general_eigen(x, true, name)); }
Arg eigvals(const Tensor& x, std::string_view name) { return {general_eigen(x, false, name)[0]}; }

void check_float_matrix(const Tensor& a, const char* function) {
  if (!is_floating(a.dtype()))
    fail(ErrorKind::kType, "tf.linalg.", function, ": the input `a` must be of floats, not ", name_of(a.dtype()));
  if (a.shape().has_rank() && a.shape().rank() < 2)
    fail(ErrorKind::kValue, "tf.linalg.", function, ": the input `a` must have at least 2 dimensions, its shape is ",
         a.shape().to_string());
}

double epsilon(DType t) {
  switch (t) {
    case DType::kFloat64: return std::numeric_limits<double>::epsilon();
    case DType::kFloat16: return 0x1p-10;
    case DType::kBFloat16: return 0x1p-7;
    default: return std::numeric_limits<float>::epsilon();
  }
}

// The larger of the two sizes of a matrix, times `factor`.
Tensor largest_size(const Tensor& a, double factor) {
  const Shape& s = a.shape();
  if (s.has_rank() && s[s.rank() - 1] >= 0 && s[s.rank() - 2] >= 0)
    return ops::number(factor * static_cast<double>(std::max(s[s.rank() - 1], s[s.rank() - 2])), a.dtype());
  const Tensor sizes = ops::columns(ops::shape(a), -2, std::nullopt);
  return ops::scaled(ops::cast(apply("Max"_op, {sizes, ops::integer(0)}), a.dtype()), factor);
}

Tensor largest(const Tensor& x, bool keep) { return apply("Max"_op, {x, ops::ints({-1})}, {{"keep_dims"_attr, keep}}); }

Arg matrix_rank(const Tensor& a, const Tensor& tol, const Arg&, std::string_view name) {
  const Scope scope(name_or(name, "matrix_rank"));
  check_float_matrix(a, "matrix_rank");
  const Tensor s = svd_of(a, false, false)[0];
  const Tensor least =
      !tol ? ops::mul(largest_size(a, epsilon(a.dtype())), largest(s, true)) : tol;
  const Tensor counted = ops::cast(apply("Greater"_op, {s, least}, {}, "Greater"), DType::kInt32);
  return {ops::sum(counted, ops::ints({-1}))};
}

Arg pinv(const Tensor& a, const Tensor& rcond, const Arg&, std::string_view name) {
  const Scope scope(name_or(name, "pinv"));
  check_float_matrix(a, "pinv");
  if (a.dtype() == DType::kBFloat16)
    fail(ErrorKind::kValue, "tf.linalg.pinv does not support bfloat16, like all decompositions; cast it first");
  const Tensor limit = !rcond ? largest_size(a, 10 * epsilon(a.dtype())) : rcond;
  const std::vector<Tensor> all = svd_of(a, false, true);
  const Tensor cutoff = ops::expand_dims(ops::mul(limit, largest(all[0], false)), -1);
  // A small value is treated as infinite, so that its reciprocal is 0 and its gradient is not NaN.
  const Tensor s = ops::where(apply("Greater"_op, {all[0], cutoff}, {}, "Greater"), all[0],
                              ops::number(std::numeric_limits<double>::infinity(), a.dtype()));
  return {ops::product(ops::div(all[2], ops::expand_dims(s, -2)), all[1], false, true)};
}

Arg lstsq(const Tensor& a, const Tensor& b, const Arg& l2_regularizer, bool fast, std::string_view name) {
  const Tensor& l2 = tensor(l2_regularizer);
  const Tensor known = known_value(l2);
  const bool regularized = !known || !std::holds_alternative<Tensor>(l2_regularizer.value) ||
                           known.dtype() != DType::kFloat64 || *known.data<double>() != 0;
  if (a.dtype() == DType::kComplex128 && regularized)
    fail(ErrorKind::kNotImplemented, "tf.linalg.lstsq of complex128 with an l2_regularizer is not supported: "
         "the normal equations are too inexact for it");
  const Shape& s = a.shape();
  const bool sizes_known = s.has_rank() && s.rank() >= 2 && s[s.rank() - 1] >= 0 && s[s.rank() - 2] >= 0;
  if (!fast || !sizes_known)
    return {apply("MatrixSolveLs"_op, {a, b, ops::cast(l2, DType::kFloat64)}, {{"fast"_attr, fast}}, name)};
  const Scope scope(name_or(name, "matrix_solve_ls"));
  const Tensor regularizer = regularized ? ops::cast(l2, a.dtype()) : Tensor();
  const bool tall = s[s.rank() - 2] >= s[s.rank() - 1];
  const Tensor factor = ops::gramian_cholesky(a, regularizer, tall);
  if (tall) return {ops::cholesky_solve(factor, ops::product(a, b, true, false))};
  return {ops::product(a, ops::cholesky_solve(factor, b), true, false)};
}

Attrs aligned(const Arg& align) { return {{"align"_attr, text(align)}}; }
// The padding value in the dtype of the padded tensor.
Tensor padding(const Arg& value, DType dtype) {
  if (const auto* given = std::get_if<Tensor>(&value.value)) return *given;
  const auto* real = std::get_if<double>(&value.value);
  const auto* whole = std::get_if<int64_t>(&value.value);
  const auto* truth = std::get_if<bool>(&value.value);
  if (dtype == DType::kBool) return ops::number(real ? *real != 0 : whole ? *whole != 0 : truth && *truth, dtype);
  if (!in_set(dtype, kNumberTypes) || truth || (real && is_integer(dtype)) || !(real || whole))
    fail(ErrorKind::kType, "padding_value must be a number that fits the dtype ", name_of(dtype));
  return ops::number(real ? *real : static_cast<double>(*whole), dtype);
}

Arg diag(const Tensor& d, const Tensor& k, const Tensor& num_rows, const Tensor& num_cols, const Arg& padding_value,
         const Arg& align, std::string_view name) {
  return {apply("MatrixDiagV3"_op, {d, k, num_rows, num_cols, padding(padding_value, d.dtype())},
                aligned(align), name)};
}
Arg diag_part(const Tensor& x, const Tensor& k, const Arg& padding_value, const Arg& align, std::string_view name) {
  return {apply("MatrixDiagPartV3"_op, {x, k, padding(padding_value, x.dtype())}, aligned(align), name)};
}
Arg set_diag(const Tensor& input, const Tensor& diagonal, const Tensor& k, const Arg& align, std::string_view name) {
  return {apply("MatrixSetDiagV3"_op, {input, diagonal, k}, aligned(align), name)};
}

Arg trace(const Tensor& x, std::string_view name) {
  if (!is_plain(x.dtype()))
    fail(ErrorKind::kType, "tf.linalg.trace is of numbers, not of ", name_of(x.dtype()));
  const Scope scope(name_or(name, "Trace"));
  return {ops::sum(ops::diagonal_of(x), ops::ints({-1}))};
}

Arg matrix_transpose(const Tensor& a, bool conjugate, std::string_view name) {
  const Scope scope(name_or(name, "matrix_transpose"));
  const Tensor x = ops::transpose_matrix(a);
  return {conjugate ? ops::conj(x) : x};
}
Arg adjoint(const Tensor& matrix, std::string_view name) {
  const Scope scope(name_or(name, "adjoint"));
  return {ops::adjoint(matrix)};
}

}  // namespace

FL_PUBLIC(linalg) {
  return {
      {"linalg.cholesky", "input: tensor, name: str? = None", one_op<"Cholesky">,
       "the Cholesky factors of positive definite matrices, lower triangular"},
      {"linalg.cholesky_solve", "chol: tensor like rhs, rhs: tensor like chol, name: str? = None", bind<cholesky_solve>,
       "the x of a * x = rhs, from a's factor"},
      {"linalg.det", "input: tensor, name: str? = None", one_op<"MatrixDeterminant">, "determinants"},
      {"linalg.slogdet", "input: tensor, name: str? = None -> LogMatrixDeterminant(sign, log_abs_determinant)",
       bind<slogdet>, "sign and logarithm of the size of determinants"},
      {"linalg.logdet", "matrix: tensor, name: str? = None", bind<logdet>,
       "logarithms of the determinants of positive definite matrices"},
      {"linalg.inv", "input: tensor, adjoint: bool = False, name: str? = None", bind<inverse>,
       "inverses"},
      {"linalg.solve",
       "matrix: tensor like rhs, rhs: tensor like matrix, adjoint: bool = False, name: str? = None",
       bind<solve>, "the x of matrix * x = rhs"},
      {"linalg.triangular_solve",
       "matrix: tensor like rhs, rhs: tensor like matrix, lower: bool = True, adjoint: bool = False, "
       "name: str? = None",
       bind<triangular_solve>, "the x of matrix * x = rhs, the matrix a triangle"},
      {"linalg.lstsq",
       "matrix: tensor like rhs, rhs: tensor like matrix, l2_regularizer: tensor of float64 = 0.0, "
       "fast: bool = True, name: str? = None",
       bind<lstsq>, "the x that comes closest to matrix * x = rhs"},
      {"linalg.lu", "input: tensor, output_idx_type: dtype = int32, name: str? = None -> Lu(lu, p)", bind<lu>,
       "triangles and the order of rows"},
      {"linalg.qr", "input: tensor, full_matrices: bool = False, name: str? = None -> Qr(q, r)", bind<qr>,
       "orthonormal columns times an upper triangle"},
      {"linalg.svd",
       "tensor: tensor, full_matrices: bool = False, compute_uv: bool = True, name: str? = None -> tuple", bind<svd>,
       "singular values and vectors"},
      {"linalg.eig eig", "tensor: tensor, name: str? = None -> tuple", bind<eig>,
       "eigenvalues and vectors of square matrices, which are complex"},
      {"linalg.eigvals eigvals", "tensor: tensor, name: str? = None", bind<eigvals>,
       "eigenvalues of square matrices, which are complex"},
      {"linalg.eigh", "tensor: tensor, name: str? = None -> tuple", bind<eigh>,
       "eigenvalues and vectors of self-adjoint matrices"},
      {"linalg.eigvalsh", "tensor: tensor, name: str? = None", bind<eigvalsh>,
       "eigenvalues of self-adjoint matrices"},
      {"linalg.matrix_rank",
       "a: tensor of float32, tol: tensor? like a = None, validate_args: bool = False, name: str? = None",
       bind<matrix_rank>, "how many singular values are not 0"},
      {"linalg.pinv", "a: tensor, rcond: tensor? like a = None, validate_args: bool = False, name: str? = None",
       bind<pinv>,
       "pseudo-inverses"},
      {"linalg.diag",
       "diagonal: tensor, name: str? = 'diag', k: tensor of int32 = 0, num_rows: tensor of int32 = -1, "
       "num_cols: tensor of int32 = -1, padding_value: any = 0, align: str = 'RIGHT_LEFT'",
       bind<diag>, "matrices with the given diagonals"},
      {"linalg.diag_part",
       "input: tensor, name: str? = 'diag_part', k: tensor of int32 = 0, padding_value: any = 0, "
       "align: str = 'RIGHT_LEFT'",
       bind<diag_part>, "diagonals of matrices"},
      {"linalg.set_diag",
       "input: tensor, diagonal: tensor like input, name: str? = 'set_diag', k: tensor of int32 = 0, "
       "align: str = 'RIGHT_LEFT'",
       bind<set_diag>, "matrices with some diagonals replaced"},
      {"linalg.band_part",
       "input: tensor, num_lower: tensor like num_upper, num_upper: tensor like num_lower, name: str? = None",
       one_op<"MatrixBandPart">, "matrices with zeros outside of a band around the diagonal"},
      {"linalg.tensor_diag", "diagonal: tensor, name: str? = None", one_op<"Diag">,
       "a tensor on the diagonal of one of twice the rank"},
      {"linalg.tensor_diag_part", "input: tensor, name: str? = None", one_op<"DiagPart">,
       "the diagonal of a tensor of even rank"},
      {"linalg.trace", "x: tensor, name: str? = None", bind<trace>, "sums of the main diagonals"},
      {"linalg.cross", "a: tensor like b, b: tensor like a, name: str? = None", one_op<"Cross">,
       "cross products of vectors of 3 elements"},
      {"linalg.matrix_transpose", "a: tensor, name: str? = 'matrix_transpose', conjugate: bool = False",
       bind<matrix_transpose>, "the last two dimensions swapped"},
      {"linalg.adjoint", "matrix: tensor, name: str? = None", bind<adjoint>,
       "the last two dimensions swapped, conjugated"},
  };
}

}  // namespace footlight::composite
