// Rows of sources of a graph: constants and ops that need only a shape.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"

namespace footlight {

namespace {

void const_shape(Inference& i) {
  const Tensor& value = i.attrs.get<Tensor>("value"_attr);
  i.output_dtypes[0] = value.dtype();
  i.output_shapes[0] = value.shape();
}

void fill_shape(Inference& i) {
  if (i.shape(1).has_rank() && i.shape(1).rank() != 0)
    invalid("value must represent a scalar, got shape ", i.shape(1).brackets(), " [Op:Fill]");
  i.output_shapes[0] = infer::shape_from(i, 0);
  if (i.shape(0).has_rank() && i.shape(0).rank() == 0 && !i.output_shapes[0].has_rank())
    i.output_shapes[0] = Shape{kUnknownDim};
}

void fill_gradient(GradientCall& c) {
  const Tensor& g = c.output_gradients[0];
  if (!g.shape().has_rank()) {
    c.input_gradients[1] = ops::sum(ops::reshape(g, ops::ints({-1})), ops::ints({0}));
    return;
  }
  std::vector<int64_t> axes;
  for (int d = 0; d < g.shape().rank(); ++d) axes.push_back(d);
  c.input_gradients[1] = ops::sum(g, ops::ints(axes));
}

void linspace_shape(Inference& i) {
  for (size_t k = 0; k < 3; ++k) infer::check_rank(i, k, 0);
  const Tensor num = i.constant(2);
  const int64_t count = num ? infer::ints_of(num)[0] : kUnknownDim;
  if (num && count <= 0) invalid("num must be positive, got ", count, " [Op:LinSpace]");
  i.output_shapes[0] = Shape{count};
}
// The derivative of element k of n is 1 - k / (n - 1) by start and k / (n - 1) by stop; a single element is start
// itself.
void linspace_gradient(GradientCall& c) {
  const Tensor& g = c.output_gradients[0];
  const DType type = g.dtype();
  const Tensor count = ops::cast(c.inputs[2], DType::kInt32);
  const Tensor last = ops::cast(ops::maximum(ops::sub(count, ops::integer(1)), ops::integer(1)), type);
  const Tensor place = ops::cast(ops::range(ops::integer(0), count), type);
  const Tensor to_stop = ops::sum(ops::div(ops::mul(g, place), last), ops::ints({0}));
  c.input_gradients[0] = ops::sub(ops::sum(g, ops::ints({0})), to_stop);
  c.input_gradients[1] = to_stop;
}

void range_shape(Inference& i) {
  for (size_t k = 0; k < 3; ++k) infer::check_rank(i, k, 0);
  const Tensor start = i.constant(0);
  const Tensor limit = i.constant(1);
  const Tensor delta = i.constant(2);
  if (!start || !limit || !delta) {
    i.output_shapes[0] = Shape{kUnknownDim};
    return;
  }
  int64_t count = 0;
  with_plain_type(start.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      const T a = *start.data<T>();
      const T b = *limit.data<T>();
      const T d = *delta.data<T>();
      if (d == 0) invalid("Requires delta != 0: 0 [Op:Range]");
      if (d > 0 ? a > b : a < b)
        invalid("Requires start ", d > 0 ? "<=" : ">=", " limit when delta ", d > 0 ? ">" : "<", " 0: ", a,
                "/", b, " [Op:Range]");
      if (a == b) return;
      const uint64_t span = d > 0 ? static_cast<uint64_t>(b) - static_cast<uint64_t>(a)
                                  : static_cast<uint64_t>(a) - static_cast<uint64_t>(b);
      const uint64_t step = d > 0 ? static_cast<uint64_t>(d) : uint64_t{0} - static_cast<uint64_t>(d);
      const uint64_t steps = (span - 1) / step + 1;
      if (steps > static_cast<uint64_t>(INT64_MAX)) invalid("a range of ", steps, " elements is too long [Op:Range]");
      count = static_cast<int64_t>(steps);
    } else if constexpr (!std::is_same_v<T, bool> && !std::is_same_v<T, std::complex<float>> &&
                         !std::is_same_v<T, std::complex<double>>) {
      // Rounded to the dtype after each operation, as TensorFlow computes it: 0.1 to 1.1 by 0.1 are 10 floats.
      const auto rounded = [](double x) { return static_cast<double>(static_cast<T>(x)); };
      const double d = static_cast<double>(*delta.data<T>());
      if (d == 0) invalid("Requires delta != 0: 0 [Op:Range]");
      const double size =
          rounded(rounded(static_cast<double>(*limit.data<T>()) - static_cast<double>(*start.data<T>())) / d);
      if (size < 0)
        invalid("Requires start ", d > 0 ? "<=" : ">=", " limit when delta ", d > 0 ? ">" : "<", " 0: ",
                static_cast<double>(*start.data<T>()), "/", static_cast<double>(*limit.data<T>()), " [Op:Range]");
      if (!(size < 1e15)) invalid("a range of ", size, " elements is too long [Op:Range]");
      count = size > 0 ? static_cast<int64_t>(std::ceil(size)) : 0;
    }
  });
  i.output_shapes[0] = Shape{count};
}

void one_hot_shape(Inference& i) {
  for (size_t k = 1; k < 4; ++k) infer::check_rank(i, k, 0);
  const auto depth = infer::constant_ints(i, 1);
  if (depth && (*depth)[0] < 0) invalid("depth must be non-negative, got ", (*depth)[0], " [Op:OneHot]");
  if (!i.shape(0).has_rank()) return infer::unknown(i);
  const int rank = i.shape(0).rank();
  int64_t axis = i.attrs.get_or("axis"_attr, int64_t{-1});
  if (axis < -1 || axis > rank)
    invalid("Expected axis to be -1 or between [0, ", rank, "], got ", axis, " [Op:OneHot]");
  if (axis == -1) axis = rank;
  Shape out;
  for (int d = 0; d <= rank; ++d) {
    if (d == axis) out.append(depth ? (*depth)[0] : kUnknownDim);
    if (d < rank) out.append(i.shape(0)[d]);
  }
  i.output_shapes[0] = out;
}

}  // namespace

FL_ROWS(constant) {
  constexpr RowsOf constant_row{OpFamily::kConstant};
  return {
      constant_row("Const", "-> output: dtype", "value: tensor; dtype: any", const_shape, nullptr,
                   "a value that never changes", {.zero_gradient = true, .execution = Execution::kConstant}),
      constant_row("ZerosLike", "x: T -> y: T", "T: any", infer::same, nullptr, "zeros in the shape of x",
                   {.zero_gradient = true}),
      constant_row("OnesLike", "x: T -> y: T", "T: plain", infer::same, nullptr, "ones in the shape of x",
                   {.zero_gradient = true}),
      constant_row("Fill", "dims: index_type, value: T -> output: T", "T: any; index_type: index = int32", fill_shape,
                   fill_gradient, "a tensor filled with one value", {.dispatch = 1, .host_inputs = 1}),
      constant_row("Range", "start: Tidx, limit: Tidx, delta: Tidx -> output: Tidx",
                   "Tidx: bfloat16|float16|float32|float64|int32|int64 = int32", range_shape, nullptr,
                   "numbers from start up to, not including, limit", {.host_inputs = 7, .zero_gradient = true}),
      constant_row("LinSpace", "start: T, stop: T, num: Tidx -> output: T", "T: float32|float64; Tidx: index = int32",
                   linspace_shape, linspace_gradient, "num numbers from start to stop, evenly spaced",
                   {.host_inputs = 4}),
      constant_row("OneHot", "indices: TI, depth: int32, on_value: T, off_value: T -> output: T",
                   "axis: int = -1; T: any; TI: uint8|int8|int32|int64 = int64", one_hot_shape, nullptr,
                   "on_value at each index along a new dimension, off_value elsewhere",
                   {.dispatch = 2, .host_inputs = 2, .zero_gradient = true}),
  };
}

}  // namespace footlight
