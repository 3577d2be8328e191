// Rows of decompositions: QR, singular values, eigenvalues, LU.
#include "engine/ops/define.h"
#include "engine/ops/matrix.h"
#include "engine/ops/rows/matrix_shapes.h"

namespace footlight {

namespace {

const AttrName kComputeV{"compute_v"};

int64_t smaller(int64_t a, int64_t b) { return a == 0 || b == 0 ? 0 : a < 0 || b < 0 ? kUnknownDim : std::min(a, b); }

void qr_shape(Inference& i) {
  infer::check_min_rank(i, 0, 2);
  const Shape& s = i.shape(0);
  if (!s.has_rank()) return infer::unknown(i);
  const int64_t m = infer::rows_of(s), n = infer::columns_of(s);
  const bool full = i.attrs.get_or("full_matrices"_attr, false);
  const int64_t inner = full ? m : smaller(m, n);
  i.output_shapes[0] = infer::matrices(infer::batch_of(s), m, inner);
  i.output_shapes[1] = infer::matrices(infer::batch_of(s), inner, n);
}

void svd_shape(Inference& i) {
  infer::check_min_rank(i, 0, 2);
  const Shape& s = i.shape(0);
  const bool vectors = i.attrs.get_or("compute_uv"_attr, true);
  if (!s.has_rank()) {
    infer::unknown(i);
    if (!vectors) i.output_shapes[1] = i.output_shapes[2] = Shape{0};
    return;
  }
  const int64_t m = infer::rows_of(s), n = infer::columns_of(s), p = smaller(m, n);
  const bool full = i.attrs.get_or("full_matrices"_attr, false);
  i.output_shapes[0] = infer::batch_of(s);
  i.output_shapes[0].append(p);
  i.output_shapes[1] = vectors ? infer::matrices(infer::batch_of(s), m, full ? m : p) : Shape{0};
  i.output_shapes[2] = vectors ? infer::matrices(infer::batch_of(s), n, full ? n : p) : Shape{0};
}

void eigen_shape(Inference& i) {
  const Shape s = infer::square_matrices(i);
  const bool vectors = i.attrs.get_or(kComputeV, true);
  i.output_shapes[1] = vectors ? s : Shape{0};
  i.output_shapes[0] = s;
  if (!s.has_rank()) return;
  i.output_shapes[0] = infer::batch_of(s);
  i.output_shapes[0].append(infer::columns_of(s));
}

void lu_shape(Inference& i) {
  const Shape s = infer::square_matrices(i);
  i.output_shapes[0] = i.output_shapes[1] = s;
  if (!s.has_rank()) return;
  i.output_shapes[1] = infer::batch_of(s);
  i.output_shapes[1].append(infer::columns_of(s));
}

Tensor or_zeros(const Tensor& gradient, const Tensor& like) { return gradient ? gradient : ops::zeros_like(like); }

// x / (x * x + epsilon): the reciprocal, and 0 for 0.
Tensor safe_reciprocal(const Tensor& x) {
  return ops::mul(x, ops::reciprocal(ops::add(ops::mul(x, x), ops::number(1e-20, x.dtype()))));
}

// 1 / (v[j] - v[i]) for each pair, 0 on the diagonal.
Tensor reciprocal_differences(const Tensor& v) {
  const Tensor differences = ops::sub(ops::expand_dims(v, -2), ops::expand_dims(v, -1));
  return ops::with_diagonal(safe_reciprocal(differences), ops::zeros_like(v));
}

// x * r^-H, r an upper triangle.
Tensor times_inverse_adjoint(const Tensor& x, const Tensor& r) {
  return ops::adjoint(ops::triangular_solve(r, ops::adjoint(x), false, false));
}

// The gradient of QR for matrices with at least as many rows as columns.
Tensor tall_qr_gradient(const Tensor& q, const Tensor& r, const Tensor& dq, const Tensor& dr) {
  const Tensor qdq = ops::product(q, dq, true, false);
  const Tensor rdr = ops::product(r, dr, false, true);
  const Tensor skew = ops::add(ops::sub(qdq, ops::adjoint(qdq)), ops::sub(rdr, ops::adjoint(rdr)));
  const Tensor a = ops::product(q, ops::add(dr, times_inverse_adjoint(ops::band(skew, -1, 0), r)));
  const Tensor b = times_inverse_adjoint(ops::sub(dq, ops::product(q, qdq)), r);
  const Tensor sum = ops::add(a, b);
  if (!is_complex(q.dtype())) return sum;
  const Tensor m = ops::sub(rdr, ops::adjoint(qdq));
  const Tensor diagonal = ops::with_diagonal(ops::zeros_like(m), ops::diagonal_of(m));
  const Tensor imaginary = ops::sub(diagonal, ops::cast(ops::real(diagonal), q.dtype()));
  return ops::add(sum, times_inverse_adjoint(ops::product(q, ops::adjoint(imaginary)), r));
}

void qr_gradient(GradientCall& c) {
  const Tensor& q = c.outputs[0];
  const Tensor& r = c.outputs[1];
  const Shape& s = r.shape();
  if (!s.has_rank() || infer::rows_of(s) < 0 || infer::columns_of(s) < 0 || infer::rows_of(q.shape()) < 0)
    fail(ErrorKind::kNotImplemented, "the gradient of Qr needs matrices of known size; the shape of r is ",
         s.to_string());
  const int64_t rows = infer::rows_of(q.shape()), columns = infer::columns_of(s);
  if (infer::rows_of(s) > columns && rows == infer::columns_of(q.shape()))
    fail(ErrorKind::kNotImplemented,
         "the gradient of Qr is not defined for more rows than columns with full_matrices=True; the matrices are ",
         rows, " x ", columns);
  const Tensor dq = or_zeros(c.output_gradients[0], q);
  const Tensor dr = or_zeros(c.output_gradients[1], r);
  if (rows >= columns) {
    c.input_gradients[0] = tall_qr_gradient(q, r, dq, dr);
    return;
  }
  // The leading square block determines q. The other columns of the matrix are q times those of r.
  const Tensor right = ops::columns(c.inputs[0], rows, std::nullopt);
  const Tensor dright = ops::columns(dr, rows, std::nullopt);
  const Tensor parts[] = {
      tall_qr_gradient(q, ops::columns(r, 0, rows), ops::add(dq, ops::product(right, dright, false, true)),
                       ops::columns(dr, 0, rows)),
      ops::product(q, dright)};
  c.input_gradients[0] = ops::concat(parts, -1);
}

void svd_gradient(GradientCall& c) {
  const Tensor& a = c.inputs[0];
  const Tensor ds = ops::diagonal_matrix(or_zeros(c.output_gradients[0], c.outputs[0]));
  if (!c.attrs.get_or("compute_uv"_attr, true)) {
    const std::vector<Tensor> all = apply_all("Svd"_op.row(), {&a, 1}, {{"compute_uv"_attr, true}});
    c.input_gradients[0] = ops::product(all[1], ops::product(ds, all[2], false, true));
    return;
  }
  const bool full = c.attrs.get_or("full_matrices"_attr, false);
  const Shape& shape = a.shape();
  int64_t m = shape.has_rank() ? infer::rows_of(shape) : kUnknownDim;
  int64_t n = shape.has_rank() ? infer::columns_of(shape) : kUnknownDim;
  if (m < 0 || n < 0)
    fail(ErrorKind::kNotImplemented, "the gradient of Svd needs matrices of known size, their shape is ",
         shape.to_string());
  if (full && std::abs(m - n) > 1)
    fail(ErrorKind::kNotImplemented, "the gradient of Svd with full_matrices=True is not defined for matrices whose ",
         "sizes differ by more than 1; they are ", m, " x ", n);
  const Tensor& s = c.outputs[0];
  Tensor u = c.outputs[1], v = c.outputs[2];
  Tensor du = or_zeros(c.output_gradients[1], u), dv = or_zeros(c.output_gradients[2], v);
  const bool wide = m <= n;  // a tall matrix is handled as the adjoint of a wide one
  if (!wide) {
    std::swap(m, n);
    std::swap(u, v);
    std::swap(du, dv);
  }
  const Tensor s_matrix = ops::diagonal_matrix(s);
  const Tensor s_inverse = ops::diagonal_matrix(safe_reciprocal(s));
  const Tensor f = reciprocal_differences(ops::square(s));
  const Tensor v1 = ops::columns(v, 0, m), dv1 = ops::columns(dv, 0, m);
  const Tensor v_dv = ops::product(v1, dv1, true, false);
  const auto hermitian = [](const Tensor& x) { return ops::add(x, ops::adjoint(x)); };
  const Tensor from_u = ops::product(hermitian(ops::mul(f, ops::product(u, du, true, false))), s_matrix);
  const Tensor from_v = ops::product(s_matrix, hermitian(ops::mul(f, v_dv)));
  const Tensor inner = ops::add(ops::add(ds, from_u), from_v);
  Tensor gradient = ops::product(u, ops::product(inner, v1, false, true));
  if (m != n) {
    const Tensor dv1_adjoint = ops::adjoint(dv1);
    Tensor outside = ops::sub(dv1_adjoint, ops::product(ops::product(dv1_adjoint, v1), v1, false, true));
    if (full) {
      const Tensor mixed = ops::product(v1, ops::columns(dv, m, n), true, false);
      outside = ops::sub(outside, ops::product(mixed, ops::columns(v, m, n), false, true));
    }
    gradient = ops::add(gradient, ops::product(ops::product(u, s_inverse), outside));
  }
  if (is_complex(a.dtype())) {
    const Tensor l = ops::diagonal_matrix(ops::diagonal_of(v_dv));
    const Tensor phase = ops::product(ops::product(s_inverse, ops::sub(ops::adjoint(l), l)), v1, false, true);
    gradient = ops::add(gradient, ops::scaled(ops::product(u, phase), 0.5));
  }
  c.input_gradients[0] = wide ? gradient : ops::adjoint(gradient);
}

// The kernel reads only the lower triangle, so the gradient is folded into it.
void eigen_gradient(GradientCall& c) {
  const Tensor de = ops::diagonal_matrix(or_zeros(c.output_gradients[0], c.outputs[0]));
  Tensor v, middle;
  if (c.attrs.get_or(kComputeV, true)) {
    v = c.outputs[1];
    const Tensor v_dv = ops::product(v, or_zeros(c.output_gradients[1], v), true, false);
    middle = ops::add(de, ops::mul(reciprocal_differences(c.outputs[0]), v_dv));
  } else {
    v = apply_all("SelfAdjointEigV2"_op.row(), c.inputs, {{kComputeV, true}})[1];
    middle = de;
  }
  const Tensor a = ops::product(v, ops::product(middle, v, false, true));
  const Tensor lower = ops::band(ops::add(a, ops::adjoint(a)), -1, 0);
  c.input_gradients[0] = ops::with_diagonal(lower, ops::scaled(ops::diagonal_of(lower), 0.5));
}

// Eigenvectors V of any matrix have columns of length 1 and are not orthogonal: V^-H (E + F * (V^H dV - V^H V D)) V^H,
// D the real diagonal of V^H dV and F the reciprocal differences of the eigenvalues.
void general_eigen_gradient(GradientCall& c) {
  const Tensor& a = c.inputs[0];
  const bool vectors = c.attrs.get_or(kComputeV, true);
  const Tensor& e = c.outputs[0];
  const Tensor v =
      vectors ? c.outputs[1] : apply_all("Eig"_op.row(), c.inputs, {{kComputeV, true}, {"Tout"_attr, e.dtype()}})[1];
  Tensor middle = ops::diagonal_matrix(or_zeros(c.output_gradients[0], e));
  if (vectors) {
    const Tensor v_dv = ops::product(v, or_zeros(c.output_gradients[1], v), true, false);
    const Tensor lengths = ops::cast(ops::real(ops::diagonal_of(v_dv)), e.dtype());
    const Tensor along = ops::product(ops::product(v, v, true, false), ops::diagonal_matrix(lengths));
    middle = ops::add(middle, ops::mul(apply("Conj"_op, {reciprocal_differences(e)}), ops::sub(v_dv, along)));
  }
  const Tensor g = ops::solve(v, ops::product(middle, v, false, true), true);
  c.input_gradients[0] = is_complex(a.dtype()) ? g : ops::real(g);
}

// The outputs are complex, of the input's precision.
void general_eigen_shape(Inference& i) {
  eigen_shape(i);
  const bool wide = i.dtype(0) == DType::kFloat64 || i.dtype(0) == DType::kComplex128;
  i.output_dtypes[0] = i.output_dtypes[1] = wide ? DType::kComplex128 : DType::kComplex64;
}

}  // namespace

FL_ROWS(decomposition) {
  return {
      {"Qr", "input: T -> q: T, r: T", "full_matrices: bool = false; T: float64|float32|float16|complex64|complex128",
       qr_shape, qr_gradient, OpFamily::kProduct, "matrices as a product of orthonormal columns and an upper triangle",
       {.flops = flops::orthogonal}},
      {"Svd", "input: T -> s: T, u: T, v: T",
       "compute_uv: bool = true; full_matrices: bool = false; T: float64|float32|float16|complex64|complex128",
       svd_shape, svd_gradient, OpFamily::kProduct, "singular values, largest first, and the vectors on both sides",
       {.flops = flops::singular_values}},
      {"SelfAdjointEigV2", "input: T -> e: T, v: T",
       "compute_v: bool = true; T: float64|float32|float16|complex64|complex128", eigen_shape, eigen_gradient,
       OpFamily::kProduct, "eigenvalues, smallest first, and vectors of self-adjoint matrices",
       {.flops = flops::cubic<27>}},
      {"Eig", "input: T -> e: Tout, v: Tout",
       "compute_v: bool = true; T: float32|float64|complex64|complex128; Tout: type = complex64", general_eigen_shape,
       general_eigen_gradient, OpFamily::kProduct, "eigenvalues and vectors of square matrices",
       {.flops = flops::cubic<25>}},
      {"Lu", "input: T -> lu: T, p: output_idx_type",
       "output_idx_type: index = int32; T: float64|float32|float16|complex64|complex128", lu_shape, nullptr,
       OpFamily::kProduct, "a lower and an upper triangle in one matrix, and the order of the rows in their product",
       {.flops = flops::cubic<2>}},
  };
}

}  // namespace footlight
