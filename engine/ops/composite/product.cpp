// Public functions of matrix products.
#include "engine/ops/composite/composites.h"
#include "engine/ops/composite/define.h"
#include "engine/ops/composite/scalar.h"
#include "engine/ops/infer.h"
#include "engine/tensor/size.h"

namespace footlight::composite {

namespace {

constexpr uint32_t kSparse = dtype_set(DType::kBFloat16, DType::kFloat32);

struct MatmulFlags {
  bool transpose_a, transpose_b, adjoint_a, adjoint_b;
  bool none() const { return !transpose_a && !transpose_b && !adjoint_a && !adjoint_b; }
};

// A product whose dtype differs from the operands'.
Tensor product_as(const Tensor& a, const Tensor& b, DType out, const MatmulFlags& f, std::string_view name) {
  const Tensor x = f.transpose_a ? ops::conj(a) : a;
  const Tensor y = f.transpose_b ? ops::conj(b) : b;
  return apply(
      "BatchMatMulV3"_op, {x, y},
      {{"Tout"_attr, out}, {"adj_x"_attr, f.transpose_a || f.adjoint_a}, {"adj_y"_attr, f.transpose_b || f.adjoint_b}},
      name);
}

Arg matmul_of(const Tensor& given_a, const Tensor& given_b, bool transpose_a, bool transpose_b, bool adjoint_a,
              bool adjoint_b, bool a_is_sparse, bool b_is_sparse, DType output_type, bool, bool,
              std::string_view name) {
  const MatmulFlags flags{transpose_a, transpose_b, adjoint_a, adjoint_b};
  if (transpose_a && adjoint_a)
    fail(ErrorKind::kValue, "only one of transpose_a and adjoint_a can be True in tf.matmul");
  if (transpose_b && adjoint_b)
    fail(ErrorKind::kValue, "only one of transpose_b and adjoint_b can be True in tf.matmul");
  // Operands marked as sparse must be matrices. They are multiplied like any others.
  const bool sparse = a_is_sparse || b_is_sparse;
  if (output_type == DType::kInvalid && flags.none() && !sparse && given_a.dtype() == given_b.dtype())
    return {matmul(given_a, given_b, name)};
  Tensor a = given_a, b = given_b;
  const DType types[] = {a.dtype(), b.dtype()};
  if (output_type != DType::kInvalid && (output_type != a.dtype() || output_type != b.dtype()))
    return {product_as(a, b, output_type, flags, name)};
  if (types[0] != types[1] && in_set(types[0], kSparse) && in_set(types[1], kSparse)) {
    a = ops::cast(a, DType::kFloat32);
    b = ops::cast(b, DType::kFloat32);
  }
  if (sparse)
    return {ops::matmul(adjoint_a ? ops::conj(a) : a, adjoint_b ? ops::conj(b) : b, transpose_a || adjoint_a,
                        transpose_b || adjoint_b)};
  return {matmul(a, b, name, transpose_a, transpose_b, adjoint_a, adjoint_b)};
}

Arg matvec(const Tensor& a, const Tensor& b, bool transpose_a, bool adjoint_a, const Arg&, const Arg&,
           std::string_view name) {
  if (transpose_a && adjoint_a)
    fail(ErrorKind::kValue, "only one of transpose_a and adjoint_a can be True in tf.linalg.matvec");
  const Scope scope(name_or(name, "MatVec"));
  const Tensor column = ops::expand_dims(b, -1);
  const Tensor product = matmul(a, column, {}, transpose_a, false, adjoint_a);
  return {ops::squeeze(product, {-1})};
}

// The matrix exponential, of floats and complex numbers only.
Arg expm(const Tensor& x, std::string_view name) {
  if (!in_set(x.dtype(), (kFloatingTypes | kComplexTypes) & ~bit_of(DType::kBFloat16)))
    fail(ErrorKind::kValue, "tf.linalg.expm does not support matrices of type ", name_of(x.dtype()));
  return {apply("MatrixExponential"_op, {x}, {}, name_or(name, "matrix_exponential"))};
}

// A size given as a Python number or a tensor.
struct Size {
  std::optional<int64_t> known;
  Tensor tensor;
  Tensor as_tensor() const { return known ? ops::integer(*known) : tensor; }
};
Size size_from(const Arg& a, const char* name) {
  if (const auto* n = std::get_if<int64_t>(&a.value)) {
    if (*n < 0 || *n > INT32_MAX)
      invalid("the sizes of tf.eye must be between 0 and 2**31 - 1: ", name, " is ", *n);
    return {*n, {}};
  }
  const auto* t = std::get_if<Tensor>(&a.value);
  if (!t || !is_integer(t->dtype()))
    fail(ErrorKind::kType, "tf.eye: `", name, "` must be an integer, or a tensor of one");
  if (const Tensor value = known_value(*t); value && value.shape().rank() == 0)
    return size_from({infer::ints_of(value)[0]}, name);
  return {std::nullopt, as_int32(*t, name)};
}

Arg eye(const Arg& num_rows, const Arg& num_columns, const Arg& batch_shape, DType type, std::string_view name) {
  const Size rows = size_from(num_rows, "num_rows");
  const Size columns = num_columns.none() ? rows : size_from(num_columns, "num_columns");
  const Scope scope(name_or(name, "eye"));
  if (!is_plain(type)) fail(ErrorKind::kType, "tf.eye makes numbers and bools, not ", name_of(type));
  Tensor shape;
  if (rows.known && columns.known) shape = ops::ints({std::min(*rows.known, *columns.known)});
  else shape = ops::reshape(num_columns.none() ? rows.as_tensor()
                                           : ops::minimum(rows.as_tensor(), columns.as_tensor()), ops::ints({1}));
  if (!batch_shape.none()) {
    const Tensor batch = shape_tensor(batch_shape);
    const Tensor known = known_value(batch);
    if (known && rows.known && columns.known) {
      std::vector<int64_t> whole = infer::ints_of(known);
      for (int64_t size : whole)
        if (size < 0) invalid("the sizes of tf.eye cannot be negative: batch_shape holds ", size);
      whole.push_back(*rows.known);
      whole.push_back(*columns.known);
      check_memory(type, Shape(std::span<const int64_t>(whole)));  // of the matrices, before the diagonals are made
      whole.pop_back();
      whole.back() = std::min(*rows.known, *columns.known);
      shape = ops::ints(whole);
    } else {
      const Tensor parts[] = {ops::cast(batch, DType::kInt32), shape};
      shape = ops::concat(parts, 0);
    }
  } else if (rows.known && columns.known) {
    check_memory(type, Shape{*rows.known, *columns.known});
  }
  const Tensor ones = ops::fill(shape, ops::number(1, type));
  return {apply("MatrixDiagV3"_op, {ones, ops::integer(0), rows.as_tensor(), columns.as_tensor(), ops::number(0, type)},
                {}, "diag")};
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b, std::string_view name, bool transpose_a, bool transpose_b,
              bool adjoint_a, bool adjoint_b) {
  const bool maybe_batched = (a.shape().has_rank() && a.shape().rank() > 2) ||
                             (b.shape().has_rank() && b.shape().rank() > 2) || !a.shape().has_rank() ||
                             !b.shape().has_rank();
  if (!maybe_batched && !transpose_a && !transpose_b && !adjoint_a && !adjoint_b)
    return apply("MatMul"_op.row(), Borrowed(a, b), {}, name);  // the usual case copies no handle and no attributes
  if (maybe_batched) {
    // Adjoints conjugate too: an operand that is only to be transposed is conjugated first.
    const Tensor x = transpose_a ? ops::conj(a) : a;
    const Tensor y = transpose_b ? ops::conj(b) : b;
    return apply("BatchMatMulV2"_op, {x, y},
                 {{"adj_x"_attr, transpose_a || adjoint_a}, {"adj_y"_attr, transpose_b || adjoint_b}}, name);
  }
  const Tensor x = adjoint_a ? ops::conj(a) : a;
  const Tensor y = adjoint_b ? ops::conj(b) : b;
  const bool ta = transpose_a || adjoint_a;
  const bool tb = transpose_b || adjoint_b;
  return apply("MatMul"_op, {x, y}, {{"transpose_a"_attr, ta}, {"transpose_b"_attr, tb}}, name);
}

FL_PUBLIC(product) {
  return {
      {"linalg.matmul matmul",
       "a: tensor, b: tensor follows a, transpose_a: bool = False, transpose_b: bool = False, adjoint_a: "
       "bool = False, "
       "adjoint_b: bool = False, a_is_sparse: bool = False, b_is_sparse: bool = False, output_type: dtype? = "
       "None, "
       "grad_a: bool = False, grad_b: bool = False, name: str? = None",
       bind<matmul_of>, "the product of matrices, or of the matrices in the last two dimensions"},
      {"linalg.eye eye",
       "num_rows: any, num_columns: any? = None, batch_shape: shape? = None, dtype: dtype = float32, name: "
       "str? = None",
       bind<eye>, "ones on the diagonal, zeros elsewhere"},
      {"linalg.matvec",
       "a: tensor, b: tensor, transpose_a: bool = False, adjoint_a: bool = False, "
       "a_is_sparse: bool = False, b_is_sparse: bool = False, name: str? = None",
       bind<matvec>, "products of matrices with vectors"},
      {"linalg.expm", "input: tensor, name: str? = None", bind<expm>, "the exponentials of square matrices"},
      {"linalg.logm", "input: tensor, name: str? = None", one_op<"MatrixLogarithm">,
       "the logarithms of square matrices of complex numbers"},
      {"linalg.sqrtm matrix_square_root", "input: tensor, name: str? = None", one_op<"MatrixSquareRoot">,
       "the square roots of square matrices"},
  };
}

}  // namespace footlight::composite
