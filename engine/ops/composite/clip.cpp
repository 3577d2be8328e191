// Public functions that clip values and norms, and that check monotonicity.
#include "engine/ops/composite/by_rows.h"
#include "engine/ops/composite/define.h"
#include "engine/ops/composite/scalar.h"

namespace footlight::composite {

namespace {

Tensor identity(const Tensor& x, std::string_view name) { return apply("Identity"_op, {x}, {}, name); }

void check_has_shape_of(const Tensor& t, const Tensor& made, const char* what) {
  if (!compatible(t.shape(), made.shape()))
    fail(ErrorKind::kValue, what, " would give t, of shape ", t.shape().to_string(), ", the shape ",
         made.shape().to_string(), ": the bounds must broadcast to t");
}

Arg clip_by_value(const Tensor& t, const Tensor& clip_value_min, const Tensor& clip_value_max, std::string_view name) {
  const Scope scope(name_or(name, "clip_by_value"));
  const Tensor below = ops::minimum(t, clip_value_max);
  check_has_shape_of(t, below, "clip_value_max");
  const Tensor clipped = ops::maximum(below, clip_value_min, scope.own_name());
  check_has_shape_of(t, clipped, "clip_value_min");
  return {clipped};
}

// A number in the dtype of the values, which it must fit; a tensor is cast. Clipped at 0.
Tensor norm_bound(const Tensor& bound, DType dtype) {
  if (bound.body()->python_number && bound.dtype() != dtype)
    fail(ErrorKind::kType, "tf.clip_by_norm: clip_norm is a number of ", name_of(bound.dtype()), ", t a tensor of ",
         name_of(dtype), "; cast t with tf.cast");
  const Tensor least = ops::number(0, bound.dtype());
  if (!bound.body()->python_number || bound.shape().rank() != 0) return ops::cast(ops::maximum(bound, least), dtype);
  return with_plain_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (requires { zero < zero; }) return *bound.data<T>() < zero ? least : bound;
    else return bound;
  });
}

// t, scaled down where its Euclidean norm over the axes exceeds the bound. The root is kept away from 0, where
// it is not differentiable.
Arg clip_by_norm(const Tensor& t, const Tensor& clip_norm, const Arg& axes_given, std::string_view name) {
  const Scope scope(name_or(name, "clip_by_norm"));
  Tensor axes;
  if (const auto* list = std::get_if<ArgList>(&axes_given.value); list && list->empty()) {
    axes = ops::ints({});
  } else if (!axes_given.none()) {
    axes = value_tensor(axes_given, "axes of tf.clip_by_norm");
    if (!is_integer(axes.dtype()))
      fail(axes.dtype() == DType::kString ? ErrorKind::kInvalidArgument : ErrorKind::kType,
           "axes of tf.clip_by_norm must be integers, not of dtype ", name_of(axes.dtype()));
  } else {
    axes = ops::all_axes(t);
    if (t.shape().has_rank()) axes = constant(axes);
  }
  const Tensor squares = ops::sum(ops::mul(t, t), axes, true);
  const Tensor positive = ops::greater(squares, ops::number(0, t.dtype()));
  const Tensor safe = ops::where(positive, squares, ops::ones_like(squares));
  const Tensor norm = ops::where(positive, ops::sqrt(safe), squares);
  const Tensor bound = norm_bound(clip_norm, t.dtype());
  const Tensor scaled = ops::mul(t, bound);
  check_has_shape_of(t, scaled, "clip_norm");
  return {identity(ops::div(scaled, ops::maximum(norm, bound)), scope.own_name())};
}

Tensor global_norm(const Arg& list, std::string_view name) {
  const Scope scope(name_or(name, "global_norm"));
  std::vector<Tensor> parts;
  for (const Arg& item : std::get<ArgList>(list.value)) {
    if (item.none()) continue;
    const IndexedSlices* slices = ops::slices_of(tensor(item));
    parts.push_back(apply("L2Loss"_op, {slices ? slices->values : tensor(item)}));
  }
  const Tensor sum = parts.empty() ? ops::number(0, DType::kFloat32)
                                   : ops::sum(ops::pack(parts, 0, "stack"), constant(ops::ints({0})));
  return ops::sqrt(ops::mul(sum, constant(ops::number(2, sum.dtype()))), "global_norm");
}
Arg global_norm_of(const Arg& t_list, std::string_view name) { return {global_norm(t_list, name)}; }

Tensor number_of(const Arg& given, DType dtype) {
  if (const double* number = std::get_if<double>(&given.value)) return ops::number(*number, dtype);
  if (const int64_t* whole = std::get_if<int64_t>(&given.value)) return ops::number(static_cast<double>(*whole), dtype);
  const Tensor* t = std::get_if<Tensor>(&given.value);
  if (!t || t->dtype() != dtype)
    fail(ErrorKind::kType, "tf.clip_by_global_norm: clip_norm must be a number or a tensor of ", name_of(dtype),
         ", the dtype of the norm", t ? str(", not of ", name_of(t->dtype())) : std::string());
  return *t;
}

// Returns NaN if the norm is not finite, so that the result cannot be used by mistake.
Arg clip_by_global_norm(const Arg& t_list, const Arg& clip_norm, const Tensor& use_norm, std::string_view name) {
  const Tensor norm = !use_norm ? global_norm(t_list, name) : use_norm;
  const Scope scope(name_or(name, "clip_by_global_norm"));
  const Tensor bound = number_of(clip_norm, norm.dtype());
  const Tensor one = ops::number(1, norm.dtype());
  const Tensor scale = ops::mul(bound, ops::minimum(ops::div(one, norm), ops::div(one, bound)));
  const Tensor checked = ops::add(scale, ops::sub(norm, norm));
  ArgList clipped;
  for (const Arg& item : std::get<ArgList>(t_list.value)) {
    if (item.none()) {
      clipped.push_back({});
      continue;
    }
    const IndexedSlices* slices = ops::slices_of(tensor(item));
    const Tensor& t = slices ? slices->values : tensor(item);
    const Tensor scaled = identity(ops::mul(t, ops::cast(checked, t.dtype())),
                                   str(scope.own_name().empty() ? "" : "clip_by_global_norm_", clipped.size()));
    clipped.push_back({slices ? ops::indexed_slices(scaled, slices->indices, slices->dense_shape) : scaled});
  }
  return {ArgList{{clipped}, {norm}}};
}

// Whether each element, in order, compares as required with its predecessor.
template <Literal op_name>
Arg grows(const Tensor& given, std::string_view name) {
  if (!in_set(given.dtype(), kNumberTypes))
    fail(ErrorKind::kType, "expected a tensor of numbers, got ", name_of(given.dtype()));
  const Scope scope(name);
  const Tensor x = ops::reshape(given, ops::ints({-1}));
  const Tensor later =
      apply("StridedSlice"_op, {x, ops::ints({1}), ops::ints({0}), ops::ints({1})}, {{"end_mask"_attr, int64_t{1}}});
  const Tensor earlier =
      apply("StridedSlice"_op, {x, ops::ints({0}), ops::ints({-1}), ops::ints({1})}, {{"begin_mask"_attr, int64_t{1}}});
  return {apply("All"_op, {apply(op_named<op_name>(), {later, earlier}), ops::ints({0})})};
}

}  // namespace

FL_PUBLIC(clip) {
  return {
      {"clip_by_value",
       "t: tensor or slices, clip_value_min: tensor as t, clip_value_max: tensor as t, name: str? = None",
       by_rows<bind<clip_by_value>>, "t, clipped to the range from minimum to maximum"},
      {"clip_by_norm", "t: tensor or slices, clip_norm: tensor like t, axes: any = None, name: str? = None",
       by_rows<bind<clip_by_norm>>,
       "t, scaled down where its norm is larger than clip_norm"},
      {"clip_by_global_norm",
       "t_list: tensors or None or slices, clip_norm: any, use_norm: tensor? = None, name: str? = None -> tuple",
       bind<clip_by_global_norm>, "the tensors, scaled down together where the norm of all is larger than clip_norm"},
      {"linalg.global_norm", "t_list: tensors or None or slices, name: str? = None", bind<global_norm_of>,
       "the root of the sum of all squares"},
      {"nn.l2_loss", "t: tensor, name: str? = None", one_op<"L2Loss">, "half of the sum of the squares"},
      {"math.is_non_decreasing", "x: tensor, name: str? = None",
       [](Args args, std::string_view name) {
         return grows<"GreaterEqual">(tensor(args[0]), name_or(name, "is_non_decreasing"));
       },
       "whether no element is smaller than the one before it"},
      {"math.is_strictly_increasing", "x: tensor, name: str? = None",
       [](Args args, std::string_view name) {
         return grows<"Greater">(tensor(args[0]), name_or(name, "is_strictly_increasing"));
       },
       "whether each element is larger than the one before it"},
  };
}

}  // namespace footlight::composite
