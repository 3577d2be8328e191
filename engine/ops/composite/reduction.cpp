// Public functions that reduce dimensions.
#include "engine/ops/composite/define.h"

namespace footlight::composite {

namespace {

const AttrName kKeepDims{"keep_dims"};
const AttrName kOutputType{"output_type"};

// The dimensions to reduce: the given ones, or all. All of them stand in a node of their own, "Const".
Tensor axes_of(const Tensor& x, const Arg& axis) {
  static const Op rank{"Rank"};
  static const Op range{"Range"};
  if (const Tensor* given = std::get_if<Tensor>(&axis.value)) return *given;
  if (!x.shape().has_rank()) return apply(range, {ops::integer(0), apply(rank, {x}), ops::integer(1)}, {}, "range");
  std::vector<int64_t> all(static_cast<size_t>(x.shape().rank()));
  for (size_t d = 0; d < all.size(); ++d) all[d] = static_cast<int64_t>(d);
  return constant(ops::ints(all));
}

template <Literal op_name>
Arg reduced(Args args, std::string_view name) {
  static const Op op{op_name.text};
  const Tensor& x = tensor(args[0]);
  return {apply(op, {x, axes_of(x, args[1])}, {{kKeepDims, !args[2].none() && flag(args[2])}}, name)};
}

Tensor mean_of(const Tensor& x, const Arg& axis, bool keep, std::string_view name = {}) {
  static const Op op{"Mean"};
  return apply(op, {x, axes_of(x, axis)}, {{kKeepDims, keep}}, name);
}

Tensor variance_of(Args args, std::string_view name) {
  const Tensor& x = tensor(args[0]);
  if (!is_floating(x.dtype()) && !is_complex(x.dtype()))
    fail(ErrorKind::kType, "a variance is taken of floats, a tensor of ", name_of(x.dtype()),
         " came; cast it with tf.cast");
  const Tensor off = ops::sub(x, mean_of(x, args[1], true));
  return mean_of(ops::square(off), args[1], !args[2].none() && flag(args[2]), name);
}

Arg variance(Args args, std::string_view name) {
  const Scope scope(name_or(name, "reduce_variance"));
  return {variance_of(args, scope.own_name())};
}

Arg deviation(Args args, std::string_view name) {
  static const Op root{"Sqrt"};
  const Scope scope(name_or(name, "reduce_std"));
  return {apply(root, {variance_of(args, {})}, {}, scope.own_name())};
}

template <Literal op_name>
Arg arg_of(Args args, std::string_view name) {
  static const Op op{op_name.text};
  const Tensor axis = args[1].none() ? ops::integer(0) : tensor(args[1]);
  return {apply(op, {tensor(args[0]), axis}, {{kOutputType, dtype(args[2])}}, name)};
}

constexpr char kReduced[] =
    "input_tensor: tensor, axis: tensor? of int32 = None, keepdims: bool? = False, name: str? = None";
constexpr char kReducedBools[] =
    "input_tensor: tensor of bool, axis: tensor? of int32 = None, keepdims: bool? = False, name: str? = None";
constexpr char kArg[] = "input: tensor, axis: tensor? of int32 = None, output_type: dtype = int64, name: str? = None";

}  // namespace

FL_PUBLIC(reduction) {
  return {
      {"math.reduce_sum reduce_sum", kReduced, reduced<"Sum">, "the sum over some dimensions"},
      {"math.reduce_mean reduce_mean", kReduced, reduced<"Mean">, "the mean over some dimensions"},
      {"math.reduce_max reduce_max", kReduced, reduced<"Max">,
       "the largest over some dimensions; NaN if one is there"},
      {"math.reduce_min reduce_min", kReduced, reduced<"Min">,
       "the smallest over some dimensions; NaN if one is there"},
      {"math.reduce_prod reduce_prod", kReduced, reduced<"Prod">, "the product over some dimensions"},
      {"math.reduce_all reduce_all", kReducedBools, reduced<"All">,
       "whether all are true over some dimensions"},
      {"math.reduce_any reduce_any", kReducedBools, reduced<"Any">,
       "whether one is true over some dimensions"},
      {"math.reduce_variance", kReduced, variance, "the variance over some dimensions"},
      {"math.reduce_std", kReduced, deviation, "the standard deviation over some dimensions"},
      {"math.argmax argmax", kArg, arg_of<"ArgMax">,
       "where along an axis the largest stands, the first of equal ones"},
      {"math.argmin argmin", kArg, arg_of<"ArgMin">,
       "where along an axis the smallest stands, the first of equal ones"},
  };
}

}  // namespace footlight::composite
