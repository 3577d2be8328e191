// Rows of reductions.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"

namespace footlight {

namespace {

void reduce_shape(Inference& i) {
  const bool keep = i.attrs.get_or("keep_dims"_attr, false);
  const Shape& in = i.shape(0);
  Shape& out = i.output_shapes[0];
  if (!in.has_rank()) {
    out = Shape::unknown_rank();
    return;
  }
  const auto axes = infer::constant_ints(i, 1);
  if (!axes) {
    out = keep ? Shape::of_rank(in.rank()) : Shape::unknown_rank();
    return;
  }
  uint64_t reduced = 0;
  for (int64_t axis : *axes) {
    if (axis < -in.rank() || axis >= in.rank())
      invalid("Invalid reduction dimension (", axis, " for input with ", in.rank(),
              " dimension(s)) [Op:", i.row.name, "]");
    const int64_t at = axis < 0 ? axis + in.rank() : axis;
    if (reduced >> at & 1)
      invalid("Invalid reduction arguments: Axes contains duplicate dimension: ", at, " [Op:", i.row.name, "]");
    reduced |= uint64_t{1} << at;
  }
  out = Shape();
  for (int d = 0; d < in.rank(); ++d) {
    if (!(reduced >> d & 1)) out.append(in[d]);
    else if (keep) out.append(1);
  }
}

// The shape of a reduction with kept dimensions: a gradient is reshaped to it before it is broadcast. The op itself may
// not have run yet, so its axes are checked here too.
Tensor kept_shape(const GradientCall& c) {
  const Tensor &input = c.inputs[0], &axes = c.inputs[1];
  const Tensor known = known_value(axes);
  if (known && input.shape().fully_known()) {
    std::vector<int64_t> dims(input.shape().dims().begin(), input.shape().dims().end());
    for (const int64_t axis : infer::ints_of(known))
      dims[static_cast<size_t>(infer::normalize_axis(axis, input.shape().rank(), c.row))] = 1;
    return ops::ints(dims);
  }
  return apply("ReducedShape"_op, {ops::shape(input), ops::cast(axes, DType::kInt32)});
}

Tensor spread(GradientCall& c, const Tensor& t) {
  return ops::broadcast_to(ops::reshape(t, kept_shape(c)), ops::shape(c.inputs[0]));
}

void sum_gradient(GradientCall& c) { c.input_gradients[0] = spread(c, c.output_gradients[0]); }

void mean_gradient(GradientCall& c) {
  const Tensor& x = c.inputs[0];
  const Tensor& y = c.outputs[0];
  const DType t = x.dtype();
  Tensor factor;
  if (x.shape().fully_known() && y.shape().fully_known()) {
    const int64_t out = std::max<int64_t>(y.shape().elements(), 1);
    factor = ops::number(static_cast<double>(x.shape().elements() / out), t);
  } else {
    factor = ops::cast(apply("FloorDiv"_op, {ops::size(x), ops::maximum(ops::size(y), ops::integer(1))}), t);
  }
  c.input_gradients[0] = ops::div(spread(c, c.output_gradients[0]), factor);
}

// Elements that are equally extreme share the gradient.
void extreme_gradient(GradientCall& c) {
  const Tensor& x = c.inputs[0];
  const Tensor kept = kept_shape(c);
  const Tensor is_extreme = ops::cast(ops::equal(x, ops::reshape(c.outputs[0], kept)), x.dtype());
  const Tensor many = ops::reshape(ops::sum(is_extreme, c.inputs[1]), kept);
  c.input_gradients[0] = ops::mul(ops::div(is_extreme, many), ops::reshape(c.output_gradients[0], kept));
}

// The gradient is x / norm, which is NaN at 0.
void euclidean_gradient(GradientCall& c) {
  const Tensor kept = kept_shape(c);
  const Tensor y = ops::reshape(c.outputs[0], kept);
  const Tensor g = ops::reshape(c.output_gradients[0], kept);
  c.input_gradients[0] = ops::mul(c.inputs[0], ops::div(g, y));
}

// The product of all the others: exclusive prefix times suffix products, so that zeros do no harm.
void prod_gradient(GradientCall& c) {
  const Tensor kept = kept_shape(c);
  const Tensor others = apply("ProdOthers"_op, {c.inputs[0], c.inputs[1]});
  c.input_gradients[0] = ops::mul(ops::reshape(c.output_gradients[0], kept), ops::conj(others));
}

// Each further derivative of the product has one more direction; its gradient by one direction keeps the others.
void prod_others_gradient(GradientCall& c) {
  std::vector<Tensor> inputs(c.inputs.begin(), c.inputs.end());
  inputs.push_back(ops::conj(c.output_gradients[0]));
  c.input_gradients[0] = ops::conj(footlight::apply("ProdOthers"_op.row(), inputs));
  for (size_t k = 2; k < c.inputs.size(); ++k) {
    std::vector<Tensor> others = inputs;
    others.erase(others.begin() + static_cast<ptrdiff_t>(k));
    c.input_gradients[k] = ops::conj(footlight::apply("ProdOthers"_op.row(), others));
  }
}

void arg_shape(Inference& i) {
  const DType type = i.output_dtypes[0];
  const bool largest = i.row.name[3] == 'M' && i.row.name[4] == 'a';
  if (!in_set(type, dtype_set(DType::kInt32, DType::kInt64)) &&
      !(largest && in_set(type, dtype_set(DType::kInt16, DType::kUInt16))))
    invalid("Value for attr 'output_type' of ", short_name(type), " is not in the list of allowed values: int32, int64",
            largest ? ", int16, uint16" : "", " [Op:", i.row.name, "]");
  infer::check_rank(i, 1, 0);
  const Shape& in = i.shape(0);
  Shape& out = i.output_shapes[0];
  if (!in.has_rank()) {
    out = Shape::unknown_rank();
    return;
  }
  const auto axis = infer::constant_ints(i, 1);
  if (!axis) {
    out = Shape::of_rank(std::max(0, in.rank() - 1));
    return;
  }
  const int64_t a = infer::normalize_axis((*axis)[0], in.rank(), i.row);
  if (in[static_cast<int>(a)] == 0)
    invalid("Reduction axis ", (*axis)[0], " is empty in shape ", in.brackets(), " [Op:", i.row.name, "]");
  out = Shape();
  for (int d = 0; d < in.rank(); ++d)
    if (d != a) out.append(in[d]);
}

RowDef reduction(const char* name, const char* types, GradientFunction gradient, const char* doc) {
  return {name,     "input: T, reduction_indices: Tidx -> output: T",
          types,    reduce_shape,
          gradient, OpFamily::kReduction,
          doc,      {.host_inputs = 2}};
}
RowDef logical(const char* name, const char* doc) {
  return {name, "input: bool, reduction_indices: Tidx -> output: bool", "keep_dims: bool = false; Tidx: index = int32",
          reduce_shape, nullptr, OpFamily::kReduction, doc, {.host_inputs = 2, .zero_gradient = true}};
}
RowDef arg(const char* name, const char* doc) {
  return {name, "input: T, dimension: Tidx -> output: output_type",
          "T: real|bool; Tidx: index = int32; output_type: type = int64", arg_shape, nullptr, OpFamily::kReduction, doc,
          {.host_inputs = 2, .zero_gradient = true}};
}

}  // namespace

FL_ROWS(reduction) {
  constexpr const char* kNumbers = "keep_dims: bool = false; T: numbers; Tidx: index = int32";
  constexpr const char* kReal = "keep_dims: bool = false; T: real; Tidx: index = int32";
  return {
      reduction("Sum", kNumbers, sum_gradient, "the sum over some dimensions"),
      reduction("Mean", kNumbers, mean_gradient, "the mean over some dimensions; of integers, rounded towards 0"),
      reduction("Max", kReal, extreme_gradient, "the largest over some dimensions; NaN if one is there"),
      reduction("Min", kReal, extreme_gradient, "the smallest over some dimensions; NaN if one is there"),
      reduction("EuclideanNorm", kNumbers, euclidean_gradient, "the Euclidean norm over some dimensions"),
      reduction("Prod", kNumbers, prod_gradient, "the product over some dimensions"),
      {"ProdOthers", "input: T, reduction_indices: Tidx, directions: N*T -> output: T",
       "N: int; T: numbers; Tidx: index = int32", infer::same, prod_others_gradient, OpFamily::kReduction,
       "for each element the product of the others that are reduced with it, differentiated once along each direction",
       {.host_inputs = 2}},
      logical("All", "whether all are true over some dimensions"),
      logical("Any", "whether any is true over some dimensions"),
      arg("ArgMax", "the index of the largest element along one dimension, the first of equal ones"),
      arg("ArgMin", "the index of the smallest element along one dimension, the first of equal ones"),
      {"ReducedShape", "shape: int32, axes: int32 -> kept: int32", "", infer::same, nullptr, OpFamily::kMove,
       "a shape with the dimensions of `axes` set to 1", {.host_inputs = 3, .zero_gradient = true}},
  };
}

}  // namespace footlight
