// Public functions of one tensor, elementwise, and of neural networks.
#include "engine/ops/composite/define.h"

#include "engine/tensor/gpu.h"

namespace footlight::composite {

namespace {

constexpr char kOne[] = "x: tensor, name: str? = None";

Tensor with_axis(const Op& op, const Tensor& logits, const Arg& axis_arg, std::string_view name) {
  const Shape& shape = logits.shape();
  if (axis_arg.none() || integer(axis_arg) == -1) return apply(op, {logits}, {}, name);
  if (!shape.has_rank()) fail(ErrorKind::kType, "the rank of the logits must be known to move axis to its place");
  const int64_t rank = shape.rank();
  int64_t axis = axis_arg.none() ? -1 : integer(axis_arg);
  if (axis < -rank || axis >= rank)
    invalid("axis ", axis, " is outside of [-", rank, ", ", rank, ") of logits with shape ", shape.to_string(), " [Op:",
            op.row().name, "]");
  if (axis < 0) axis += rank;
  if (axis == rank - 1) return apply(op, {logits}, {}, name);
  // Eager on the host: directly along the columns, without a transpose.
  if (!this_thread.builder && !logits.is_symbolic() && gpu::count() == 0)
    return apply(op, {logits}, {{"_axis"_attr, axis}}, name);
  std::vector<int64_t> order(static_cast<size_t>(rank));
  for (int64_t d = 0; d < rank; ++d) order[static_cast<size_t>(d)] = d;
  std::swap(order[static_cast<size_t>(axis)], order[static_cast<size_t>(rank - 1)]);
  const Tensor perm = ops::ints(order);
  const Scope scope(name_or(name, op.row().name));
  return ops::transpose(apply(op, {ops::transpose(logits, perm)}), perm);
}

Arg softmax(const Tensor& logits, const Arg& axis, std::string_view name) {
  return {with_axis("Softmax"_op, logits, axis, name)};
}
Arg log_softmax(const Tensor& logits, const Arg& axis, std::string_view name) {
  return {with_axis("LogSoftmax"_op, logits, axis, name)};
}

Arg round(const Tensor& x, std::string_view name) {
  return {is_integer(x.dtype()) ? x : apply("Round"_op, {x}, {}, name)};
}

constexpr char kLogits[] = "logits: tensor, axis: int? = None, name: str? = None";

}  // namespace

FL_PUBLIC(math) {
  return {
      {"math.negative negative", kOne, one_op<"Neg">, "-x"},
      {"math.square square", kOne, one_op<"Square">, "x * x"},
      {"math.reciprocal", kOne, one_op<"Reciprocal">, "1 / x"},
      {"math.sqrt sqrt", kOne, one_op<"Sqrt">, "the square root"},
      {"math.rsqrt", kOne, one_op<"Rsqrt">, "1 / the square root"},
      {"math.exp exp", kOne, one_op<"Exp">, "e to the power of x"},
      {"math.expm1", kOne, one_op<"Expm1">, "exp(x) - 1, exact near 0"},
      {"math.log log compat.v1.log", kOne, one_op<"Log">, "the natural logarithm"},
      {"math.log1p", kOne, one_op<"Log1p">, "log(1 + x), exact near 0"},
      {"math.tanh tanh nn.tanh", kOne, one_op<"Tanh">, "the hyperbolic tangent"},
      {"math.sigmoid sigmoid nn.sigmoid", kOne, one_op<"Sigmoid">, "1 / (1 + exp(-x))"},
      {"math.sin sin", kOne, one_op<"Sin">, "the sine"},
      {"math.cos cos", kOne, one_op<"Cos">, "the cosine"},
      {"math.floor floor", kOne, one_op<"Floor">, "the next integer below"},
      {"math.ceil", kOne, one_op<"Ceil">, "the next integer above"},
      {"math.rint", kOne, one_op<"Rint">, "the nearest integer, halves to even"},
      {"math.round round", kOne, bind<round>, "the nearest integer, halves to even"},
      {"math.is_nan", kOne, one_op<"IsNan">, "whether x is NaN"},
      {"math.is_inf", kOne, one_op<"IsInf">, "whether x is infinite"},
      {"math.is_finite", kOne, one_op<"IsFinite">, "whether x is neither infinite nor NaN"},
      {"nn.softmax math.softmax", kLogits, bind<softmax>, "the softmax along an axis: exp(x) / sum(exp(x))"},
      {"nn.log_softmax math.log_softmax", kLogits, bind<log_softmax>, "log(softmax(x))"},
  };
}

}  // namespace footlight::composite
