// Public functions of matrices.
#include "engine/ops/composite/composites.h"
#include "engine/ops/composite/define.h"
#include "engine/ops/infer.h"
#include "engine/ops/matrix.h"

namespace footlight::composite {

namespace {

constexpr uint32_t kSparse = dtype_set(DType::kBFloat16, DType::kFloat32);

// The product in another dtype than the operands'.
Tensor typed(const Tensor& a, const Tensor& b, DType out, Args args, std::string_view name) {
  static const Op op{"BatchMatMulV3"};
  static const AttrName kTout{"Tout"};
  static const AttrName kAdjX{"adj_x"};
  static const AttrName kAdjY{"adj_y"};
  const Tensor x = flag(args[2]) ? ops::conj(a) : a;
  const Tensor y = flag(args[3]) ? ops::conj(b) : b;
  return apply(op, {x, y}, {{kTout, out}, {kAdjX, flag(args[2]) || flag(args[4])},
                            {kAdjY, flag(args[3]) || flag(args[5])}}, name);
}

Arg matmul_of(Args args, std::string_view name) {
  if (flag(args[2]) && flag(args[4]))
    fail(ErrorKind::kValue, "only one of transpose_a and adjoint_a can be True in tf.matmul");
  if (flag(args[3]) && flag(args[5]))
    fail(ErrorKind::kValue, "only one of transpose_b and adjoint_b can be True in tf.matmul");
  const bool plain = args[8].none() && !flag(args[2]) && !flag(args[3]) && !flag(args[4]) && !flag(args[5]) &&
                     !flag(args[6]) && !flag(args[7]);
  if (plain && tensor(args[0]).dtype() == tensor(args[1]).dtype())
    return {matmul(tensor(args[0]), tensor(args[1]), name)};
  Tensor a = tensor(args[0]), b = tensor(args[1]);
  const DType types[] = {a.dtype(), b.dtype()};
  if (!args[8].none() && (dtype(args[8]) != a.dtype() || dtype(args[8]) != b.dtype()))
    return {typed(a, b, dtype(args[8]), args, name)};
  if (types[0] != types[1] && in_set(types[0], kSparse) && in_set(types[1], kSparse)) {
    a = ops::cast(a, DType::kFloat32);
    b = ops::cast(b, DType::kFloat32);
  }
  // Said to hold many zeros: matrices, and nothing else. They are multiplied as any others.
  const bool sparse = flag(args[6]) || flag(args[7]);
  const bool adjoint_a = flag(args[4]), adjoint_b = flag(args[5]);
  if (sparse)
    return {ops::matmul(adjoint_a ? ops::conj(a) : a, adjoint_b ? ops::conj(b) : b, flag(args[2]) || adjoint_a,
                        flag(args[3]) || adjoint_b)};
  return {matmul(a, b, name, flag(args[2]), flag(args[3]), adjoint_a, adjoint_b)};
}

Arg matvec(Args args, std::string_view name) {
  if (flag(args[2]) && flag(args[3]))
    fail(ErrorKind::kValue, "only one of transpose_a and adjoint_a can be True in tf.linalg.matvec");
  const Scope scope(name_or(name, "MatVec"));
  const Tensor column = ops::expand_dims(tensor(args[1]), -1);
  const Tensor product = matmul(tensor(args[0]), column, {}, flag(args[2]), false, flag(args[3]));
  return {ops::squeeze(product, {-1})};
}

// e^A: only of floats and complex numbers.
Arg expm(Args args, std::string_view name) {
  static const Op op{"MatrixExponential"};
  const Tensor& x = tensor(args[0]);
  if (!in_set(x.dtype(), (kFloatingTypes | kComplexTypes) & ~bit_of(DType::kBFloat16)))
    fail(ErrorKind::kValue, "tf.linalg.expm does not support matrices of type ", name_of(x.dtype()));
  return {apply(op, {x}, {}, name_or(name, "matrix_exponential"))};
}

// A size that a Python number or a tensor says.
struct Size {
  std::optional<int64_t> known;
  Tensor tensor;
  Tensor as_tensor() const { return known ? ops::integer(*known) : ops::cast(tensor, DType::kInt32); }
};
Size size_from(const Arg& a, const char* name) {
  if (const auto* n = std::get_if<int64_t>(&a.value)) {
    if (*n < 0) invalid("the sizes of tf.eye cannot be negative: ", name, " is ", *n);
    return {*n, {}};
  }
  const auto* t = std::get_if<Tensor>(&a.value);
  if (!t || !is_integer(t->dtype()))
    fail(ErrorKind::kType, "tf.eye: `", name, "` must be an integer, or a tensor of one");
  if (const Tensor value = known_value(*t); value && value.elements() == 1)
    return size_from({infer::ints_of(value)[0]}, name);
  return {std::nullopt, *t};
}

// Ones on the diagonal.
Arg eye(Args args, std::string_view name) {
  static const Op diag{"MatrixDiagV3"};
  const Size rows = size_from(args[0], "num_rows");
  const Size columns = args[1].none() ? rows : size_from(args[1], "num_columns");
  const Scope scope(name_or(name, "eye"));
  const DType type = dtype(args[3]);
  if (!is_plain(type)) fail(ErrorKind::kType, "tf.eye makes numbers and bools, not ", name_of(type));
  Tensor shape;
  if (rows.known && columns.known) shape = ops::ints({std::min(*rows.known, *columns.known)});
  else shape = ops::reshape(args[1].none() ? rows.as_tensor()
                                           : ops::minimum(rows.as_tensor(), columns.as_tensor()), ops::ints({1}));
  if (!args[2].none()) {
    const Tensor parts[] = {ops::cast(shape_tensor(args[2]), DType::kInt32), shape};
    const Tensor known = known_value(parts[0]);
    std::vector<int64_t> whole;
    if (known && rows.known && columns.known) {
      for (int64_t i = 0; i < known.elements(); ++i) whole.push_back(known.data<int32_t>()[i]);
      whole.push_back(std::min(*rows.known, *columns.known));
      shape = ops::ints(whole);
    } else {
      shape = ops::concat(parts, 0);
    }
  }
  const Tensor ones = ops::fill(shape, ops::number(1, type));
  return {apply(diag, {ones, ops::integer(0), rows.as_tensor(), columns.as_tensor(), ops::number(0, type)}, {},
                "diag")};
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b, std::string_view name, bool transpose_a, bool transpose_b,
              bool adjoint_a, bool adjoint_b) {
  static const Op plain{"MatMul"};
  static const Op batched{"BatchMatMulV2"};
  static const AttrName kTransposeA{"transpose_a"};
  static const AttrName kTransposeB{"transpose_b"};
  static const AttrName kAdjX{"adj_x"};
  static const AttrName kAdjY{"adj_y"};
  const bool maybe_batched = (a.shape().has_rank() && a.shape().rank() > 2) ||
                             (b.shape().has_rank() && b.shape().rank() > 2) || !a.shape().has_rank() ||
                             !b.shape().has_rank();
  if (!maybe_batched && !transpose_a && !transpose_b && !adjoint_a && !adjoint_b)
    return apply(plain.row(), Borrowed(a, b), {}, name);  // the usual case: no handle copied, no attributes made
  if (maybe_batched) {
    // Adjoints conjugate too: what is only to be transposed is conjugated before.
    const Tensor x = transpose_a ? ops::conj(a) : a;
    const Tensor y = transpose_b ? ops::conj(b) : b;
    return apply(batched, {x, y}, {{kAdjX, transpose_a || adjoint_a}, {kAdjY, transpose_b || adjoint_b}}, name);
  }
  const Tensor x = adjoint_a ? ops::conj(a) : a;
  const Tensor y = adjoint_b ? ops::conj(b) : b;
  const bool ta = transpose_a || adjoint_a;
  const bool tb = transpose_b || adjoint_b;
  return apply(plain, {x, y}, {{kTransposeA, ta}, {kTransposeB, tb}}, name);
}

FL_PUBLIC(product) {
  return {
      {"linalg.matmul matmul",
       "a: tensor, b: tensor follows a, transpose_a: bool = False, transpose_b: bool = False, adjoint_a: "
       "bool = False, "
       "adjoint_b: bool = False, a_is_sparse: bool = False, b_is_sparse: bool = False, output_type: dtype? = "
       "None, "
       "grad_a: bool = False, grad_b: bool = False, name: str? = None",
       matmul_of, "the product of matrices, or of the matrices in the last two dimensions"},
      {"linalg.eye eye",
       "num_rows: any, num_columns: any? = None, batch_shape: shape? = None, dtype: dtype = float32, name: "
       "str? = None",
       eye, "ones on the diagonal, zeros elsewhere"},
      {"linalg.matvec",
       "a: tensor, b: tensor, transpose_a: bool = False, adjoint_a: bool = False, "
       "a_is_sparse: bool = False, b_is_sparse: bool = False, name: str? = None",
       matvec, "products of matrices with vectors"},
      {"linalg.expm", "input: tensor, name: str? = None", expm, "the exponentials of square matrices"},
  };
}

}  // namespace footlight::composite
