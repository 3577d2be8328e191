// Public functions of matrices.
#include "engine/ops/composite/composites.h"
#include "engine/ops/composite/define.h"

namespace footlight::composite {

namespace {

Arg matmul_of(Args args, std::string_view name) {
  for (size_t k : {6, 7})
    if (flag(args[k]))
      fail(ErrorKind::kUnimplemented,
           "tf.matmul of sparse matrices is not offered; leave a_is_sparse and b_is_sparse at False");
  if (flag(args[2]) && flag(args[4]))
    fail(ErrorKind::kValue, "only one of transpose_a and adjoint_a can be True in tf.matmul");
  if (flag(args[3]) && flag(args[5]))
    fail(ErrorKind::kValue, "only one of transpose_b and adjoint_b can be True in tf.matmul");
  return {matmul(tensor(args[0]), tensor(args[1]), name, flag(args[2]), flag(args[3]), flag(args[4]), flag(args[5]))};
}

// Ones on the diagonal: where the row's number is the column's.
Arg eye(Args args, std::string_view name) {
  static const Op equal{"Equal"};
  static const Op range{"Range"};
  const int64_t rows = integer(args[0]);
  const int64_t columns = args[1].none() ? rows : integer(args[1]);
  if (rows < 0 || columns < 0) invalid("the sizes of tf.eye cannot be negative: ", rows, " and ", columns, " came");
  const Scope scope(name_or(name, "eye"));
  const auto numbers = [&](int64_t count) {
    return apply(range, {ops::integer(0), ops::integer(count), ops::integer(1)}, {}, "range");
  };
  const Tensor on = apply(equal, {ops::expand_dims(numbers(rows), 1), numbers(columns)});
  Tensor out = ops::cast(on, dtype(args[3]));
  if (!args[2].none()) {
    std::vector<int64_t> whole = integers(args[2]);
    whole.insert(whole.end(), {rows, columns});
    out = ops::broadcast_to(out, ops::ints(whole));
  }
  return {out};
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
       "a: tensor like b, b: tensor like a, transpose_a: bool = False, transpose_b: bool = False, adjoint_a: "
       "bool = False, "
       "adjoint_b: bool = False, a_is_sparse: bool = False, b_is_sparse: bool = False, output_type: dtype? = "
       "None, "
       "grad_a: bool = False, grad_b: bool = False, name: str? = None",
       matmul_of, "the product of matrices, or of the matrices in the last two dimensions"},
      {"linalg.eye eye",
       "num_rows: int, num_columns: int? = None, batch_shape: ints? = None, dtype: dtype = float32, name: "
       "str? = None",
       eye, "ones on the diagonal, zeros elsewhere"},
  };
}

}  // namespace footlight::composite
