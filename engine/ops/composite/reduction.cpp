// Public functions that reduce dimensions.
#include "engine/ops/composite/define.h"
#include "engine/ops/infer.h"
#include "engine/ops/matrix.h"

namespace footlight::composite {

namespace {

const AttrName kKeepDims{"keep_dims"};

const Attrs& keeping(bool dims) {
  static const Attrs no{{kKeepDims, false}}, yes{{kKeepDims, true}};
  return dims ? yes : no;
}

// The dimensions to reduce: the given ones, or all. All of them are a node of their own, "Const".
Tensor axes_of(const Tensor& x, const Arg& axis) {
  if (const Tensor* given = std::get_if<Tensor>(&axis.value)) return *given;
  return x.shape().has_rank() ? constant(ops::all_axes(x)) : ops::all_axes(x);
}

// The tensor flattened when all of an unknown number of dimensions are reduced: the result is known to be a scalar.
Tensor flat_if_unknown(const Tensor& x, const Arg& axis, const Arg& keep_dims) {
  if (x.shape().has_rank() || !axis.none() || (!keep_dims.none() && flag(keep_dims))) return x;
  return ops::reshape(x, ops::ints({-1}));
}

template <Literal op_name>
Arg reduced(const Tensor& given, const Arg& axis, const Arg& keepdims, std::string_view name) {
  const Attrs& attrs = keeping(!keepdims.none() && flag(keepdims));
  const Tensor* const axes = std::get_if<Tensor>(&axis.value);
  if (axes && given.shape().has_rank()) return {apply(op_named<op_name>().row(), Borrowed(given, *axes), attrs, name)};
  const Tensor x = flat_if_unknown(given, axis, keepdims);
  return {apply(op_named<op_name>().row(), Borrowed(x, axes_of(x, axis)), attrs, name)};
}

Tensor mean_of(const Tensor& x, const Arg& axis, bool keep, std::string_view name = {}) {
  return apply("Mean"_op.row(), Borrowed(x, axes_of(x, axis)), keeping(keep), name);
}

Tensor variance_of(const Tensor& input, const Arg& axis, const Arg& keepdims, std::string_view name) {
  const Tensor x = flat_if_unknown(input, axis, keepdims);
  const Tensor mean = mean_of(x, axis, true);
  if (is_integer(x.dtype()))
    fail(ErrorKind::kType, "a variance needs floats, got a tensor of ", name_of(x.dtype()),
         "; cast it with tf.cast");
  const Tensor off = ops::sub(x, mean);
  const Tensor squares = is_complex(x.dtype()) ? ops::real(ops::mul(ops::conj(off), off)) : ops::square(off);
  return mean_of(squares, axis, !keepdims.none() && flag(keepdims), name);
}

Arg variance(const Tensor& input, const Arg& axis, const Arg& keepdims, std::string_view name) {
  const Scope scope(name_or(name, "reduce_variance"));
  return {variance_of(input, axis, keepdims, scope.own_name())};
}

Arg deviation(const Tensor& input, const Arg& axis, const Arg& keepdims, std::string_view name) {
  const Scope scope(name_or(name, "reduce_std"));
  return {ops::sqrt(variance_of(input, axis, keepdims, {}), scope.own_name())};
}

// Removes kept dimensions: by axis if the axes are known, which keeps the other sizes known.
Tensor squeeze_reduced(const Tensor& x, const Tensor& axes, const Tensor& shape) {
  const Tensor known = known_value(axes);
  if (!known || x.shape().fully_known() || !x.shape().has_rank()) return ops::reshape(x, shape);
  if (known.elements() == 0) return x;
  return ops::squeeze(x, infer::ints_of(known));
}

// Subtracts the maximum first, so that nothing overflows.
Arg logsumexp(const Tensor& input_tensor, const Arg& axis, const Arg& keepdims, std::string_view name) {
  const Scope scope(name_or(name, "ReduceLogSumExp"));
  const Tensor x = flat_if_unknown(input_tensor, axis, keepdims);
  const bool keep = !keepdims.none() && flag(keepdims);
  const Tensor axes = axes_of(x, axis);
  const Tensor raw = apply("Max"_op, {x, axes}, {{kKeepDims, true}});
  Tensor largest =
      apply("StopGradient"_op, {ops::where(apply("IsFinite"_op, {raw}), raw, ops::number(0, raw.dtype()))});
  const Tensor sums = apply("Sum"_op, {ops::exp(ops::sub(x, largest)), axes}, {{kKeepDims, keep}});
  const Tensor logs = ops::log(sums);
  if (!keep) largest = squeeze_reduced(largest, axes, ops::shape(logs));
  return {apply("AddV2"_op, {logs, largest}, {}, scope.own_name())};
}

Tensor not_zero(const Tensor& x) {
  if (x.dtype() == DType::kBool) return x;
  const bool text = x.dtype() == DType::kString;
  return apply("NotEqual"_op, {x, text ? Tensor::string("").as_constant() : ops::number(0, x.dtype())});
}

Arg count_nonzero(const Tensor& input, const Arg& axis, const Arg& keepdims, DType dtype, std::string_view name) {
  const Scope scope(name_or(name, "count_nonzero"));
  const Tensor x = flat_if_unknown(input, axis, keepdims);
  const Tensor ones = ops::cast(not_zero(x), DType::kInt64);
  return {ops::cast(apply("Sum"_op, {ones, axes_of(x, axis)}, {{kKeepDims, !keepdims.none() && flag(keepdims)}}),
                    dtype)};
}

Arg zero_fraction(const Tensor& value, std::string_view name) {
  const Scope scope(name_or(name, "zero_fraction"));
  const Tensor x = flat_if_unknown(value, {}, {});
  const Tensor all = x.shape().fully_known() ? ops::integer(x.shape().elements(), DType::kInt64)
                                             : apply("Size"_op, {x}, {{"out_type"_attr, DType::kInt64}});
  const Tensor others = ops::sum(ops::cast(not_zero(x), DType::kInt64), axes_of(x, {}));
  return {ops::div(ops::cast(ops::sub(all, others), DType::kFloat32), ops::cast(all, DType::kFloat32))};
}

template <Literal op_name>
Arg cumulative(const Tensor& x, const Tensor& axis, bool exclusive, bool reverse, std::string_view name) {
  const Scope scope(name_or(name, op_name.text));
  return {apply(op_named<op_name>(), {x, axis}, {{"exclusive"_attr, exclusive}, {"reverse"_attr, reverse}},
                scope.own_name())};
}

template <Literal op_name>
Arg arg_of(const Tensor& input, const Tensor& axes, DType output_type, std::string_view name) {
  const Tensor axis = !axes ? ops::integer(0) : axes;
  if (!is_integer(axis.dtype()))
    fail(ErrorKind::kType, "axis must be an int or a tensor of integers, not of ", name_of(axis.dtype()));
  return {apply(op_named<op_name>(), {input, axis}, {{"output_type"_attr, output_type}}, name)};
}

constexpr char kReduced[] =
    "input_tensor: tensor, axis: tensor? fits int32 = None, keepdims: bool? = False, name: str? = None";
constexpr char kReducedBools[] =
    "input_tensor: tensor fits bool, axis: tensor? fits int32 = None, keepdims: bool? = False, name: str? = None";
constexpr char kCumulative[] =
    "x: tensor, axis: tensor fits int32 = 0, exclusive: bool = False, reverse: bool = False, name: str? = None";
constexpr char kArg[] = "input: tensor, axis: tensor? fits int32 = None, output_type: dtype = int64, name: str? = None";

}  // namespace

FL_PUBLIC(reduction) {
  return {
      {"math.reduce_sum reduce_sum", kReduced, bind<reduced<"Sum">>, "the sum over some dimensions"},
      {"math.reduce_mean reduce_mean", kReduced, bind<reduced<"Mean">>, "the mean over some dimensions"},
      {"math.reduce_max reduce_max", kReduced, bind<reduced<"Max">>,
       "the largest over some dimensions; NaN if one is there"},
      {"math.reduce_min reduce_min", kReduced, bind<reduced<"Min">>,
       "the smallest over some dimensions; NaN if one is there"},
      {"math.reduce_prod reduce_prod", kReduced, bind<reduced<"Prod">>, "the product over some dimensions"},
      {"math.reduce_all reduce_all", kReducedBools, bind<reduced<"All">>,
       "whether all are true over some dimensions"},
      {"math.reduce_any reduce_any", kReducedBools, bind<reduced<"Any">>,
       "whether any is true over some dimensions"},
      {"math.reduce_variance", kReduced, bind<variance>, "the variance over some dimensions"},
      {"math.reduce_std", kReduced, bind<deviation>, "the standard deviation over some dimensions"},
      {"math.reduce_euclidean_norm", kReduced,
       bind<reduced<"EuclideanNorm">>, "the Euclidean norm over some dimensions"},
      {"math.reduce_logsumexp reduce_logsumexp", kReduced, bind<logsumexp>,
       "the logarithm of the sum of exponentials over some dimensions"},
      {"math.count_nonzero",
       "input: tensor, axis: tensor? fits int32 = None, keepdims: bool? = None, dtype: dtype = int64, "
       "name: str? = None",
       bind<count_nonzero>, "how many elements are not 0, False or empty over some dimensions"},
      {"nn.zero_fraction math.zero_fraction", "value: tensor, name: str? = None", bind<zero_fraction>,
       "the fraction of elements that are 0"},
      {"math.cumsum cumsum", kCumulative, bind<cumulative<"Cumsum">>, "running sums along an axis"},
      {"math.cumprod", kCumulative, bind<cumulative<"Cumprod">>, "running products along an axis"},
      {"math.cumulative_logsumexp", kCumulative, bind<cumulative<"CumulativeLogsumexp">>,
       "logarithms of running sums of exponentials along an axis"},
      {"math.argmax argmax", kArg, bind<arg_of<"ArgMax">>,
       "the index of the largest element along an axis, the first of equal ones"},
      {"math.argmin argmin", kArg, bind<arg_of<"ArgMin">>,
       "the index of the smallest element along an axis, the first of equal ones"},
  };
}

}  // namespace footlight::composite
