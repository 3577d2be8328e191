// Rows of neural networks: biases, cross entropies, normalisations.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"

namespace footlight {

namespace {

bool channels_first(const Attrs& attrs, const OpRow& row) {
  const std::string format = attrs.get_or("data_format"_attr, std::string("NHWC"));
  if (format != "NHWC" && format != "NCHW")
    invalid("Value for attr 'data_format' of \"", format,
            "\" is not in the list of allowed values: \"NHWC\", \"NCHW\" [Op:", row.name, "]");
  return format == "NCHW";
}

void bias_add_shape(Inference& i) {
  const bool first = channels_first(i.attrs, i.row);
  const Shape& value = i.shape(0);
  const Shape& bias = i.shape(1);
  if (value.has_rank() && value.rank() < 2)
    invalid("Input tensor must be at least 2D: ", value.brackets(), " [Op:BiasAdd]");
  if (bias.has_rank() && bias.rank() != 1) invalid("Biases must be 1D: ", bias.brackets(), " [Op:BiasAdd]");
  i.output_shapes[0] = value;
  if (!value.has_rank() || !bias.has_rank()) return;
  const int axis = first ? 1 : value.rank() - 1;
  if (value[axis] >= 0 && bias[0] >= 0 && value[axis] != bias[0])
    invalid("Must provide as many biases as the ", first ? "channel" : "last",
            " dimension of the input tensor: ", bias.brackets(), " vs. ", value.brackets(), " [Op:BiasAdd]");
  if (value[axis] < 0) i.output_shapes[0].set(axis, bias[0]);
}
void bias_add_gradient(GradientCall& c) {
  c.input_gradients[0] = c.output_gradients[0];
  c.input_gradients[1] = apply("BiasAddGrad"_op, {c.output_gradients[0]}, c.attrs);
}
void bias_grad_shape(Inference& i) {
  const bool first = channels_first(i.attrs, i.row);
  const Shape& in = i.shape(0);
  if (in.has_rank() && in.rank() < 2)
    invalid("Input tensor must be at least 2D: ", in.brackets(), " [Op:BiasAddGrad]");
  i.output_shapes[0] = Shape{in.has_rank() ? in[first ? 1 : in.rank() - 1] : kUnknownDim};
}
void bias_grad_gradient(GradientCall& c) {
  c.input_gradients[0] = apply("BiasAdd"_op, {ops::zeros_like(c.inputs[0]), c.output_gradients[0]}, c.attrs);
}

void scale_shift_shape(Inference& i) {
  const Shape& x = i.shape(0);
  i.output_shapes[0] = x;
  for (size_t k : {1, 2}) {
    infer::check_rank(i, k, 1);
    const Shape& s = i.shape(k);
    if (x.has_rank() && x.rank() < 2)
      invalid("x must have at least rank 2, its shape is ", x.to_string(), " [Op:ScaleShift]");
    if (x.has_rank() && s.has_rank() && x[x.rank() - 1] >= 0 && s[0] >= 0 && x[x.rank() - 1] != s[0])
      invalid(i.row.inputs[k].name, " must have as many elements as x has channels, their shapes are ", s.to_string(),
              " and ", x.to_string(), " [Op:ScaleShift]");
  }
}
void scale_shift_gradient(GradientCall& c) {
  const Tensor& g = c.output_gradients[0];
  c.input_gradients[0] = ops::mul(g, c.inputs[1]);
  c.input_gradients[1] = apply("BiasAddGrad"_op, {ops::mul(g, c.inputs[0])});
  c.input_gradients[2] = apply("BiasAddGrad"_op, {g});
}

void cross_entropy_shape(Inference& i) {
  infer::check_rank(i, 0, 2);
  infer::check_rank(i, 1, 2);
  Shape both = Shape::of_rank(2);
  try {
    both = merge(both, broadcast(i.shape(0), i.shape(1)));
  } catch (const Error&) {
    invalid("logits and labels must be broadcastable: logits_size=", i.shape(0).brackets(),
            " labels_size=", i.shape(1).brackets(), " [Op:", i.row.name, "]");
  }
  i.output_shapes[0] = Shape{both[0]};
  i.output_shapes[1] = both;
}
void sparse_cross_entropy_shape(Inference& i) {
  infer::check_rank(i, 0, 2);
  infer::check_rank(i, 1, 1);
  Shape out = i.shape(0).has_rank() ? i.shape(0) : Shape::of_rank(2);
  const int64_t labels = i.shape(1).has_rank() ? i.shape(1)[0] : kUnknownDim;
  if (out[0] >= 0 && labels >= 0 && out[0] != labels)
    invalid("logits and labels must have the same first dimension, got logits shape ", out.brackets(),
            " and labels shape ", i.shape(1).brackets(), " [Op:", i.row.name, "]");
  if (out[0] < 0) out.set(0, labels);
  if (out[1] == 0)
    invalid("Must have at least one class, but got logits shape ", out.brackets(), " [Op:", i.row.name, "]");
  i.output_shapes[0] = Shape{out[0]};
  i.output_shapes[1] = out;
}

// The logits with a value for every class: those of a single class are broadcast to the labels.
Tensor logits_of_all_classes(GradientCall& c) {
  const Shape &given = c.inputs[0].shape(), &whole = c.outputs[1].shape();
  const auto classes = [](const Shape& s) { return s.has_rank() && s.rank() == 2 ? s[1] : kUnknownDim; };
  if (classes(given) > 1 || (classes(given) >= 0 && classes(given) == classes(whole))) return c.inputs[0];
  return ops::add(c.inputs[0], ops::zeros_like(c.outputs[1]));
}

// With respect to the logits: the second output times the gradient of the losses; and the gradient of the second
// output, through the softmax.
Tensor to_logits(GradientCall& c) {
  const Tensor& loss = c.output_gradients[0];
  const Tensor& more = c.output_gradients[1];
  Tensor out;
  if (loss) out = ops::mul(ops::expand_dims(loss, -1), c.outputs[1]);
  if (more) {
    const Tensor y = apply("Softmax"_op, {logits_of_all_classes(c)});
    const Tensor along = ops::mul(ops::sub(more, ops::sum(ops::mul(more, y), ops::ints({-1}), true)), y);
    out = out ? ops::add(out, along) : along;
  }
  return ops::sum_to_shape_of(out, c.inputs[0]);
}
void cross_entropy_gradient(GradientCall& c) {
  c.input_gradients[0] = to_logits(c);
  Tensor labels;
  if (c.output_gradients[0])
    labels = ops::neg(
        ops::mul(ops::expand_dims(c.output_gradients[0], -1), apply("LogSoftmax"_op, {logits_of_all_classes(c)})));
  if (c.output_gradients[1])
    labels = labels ? ops::sub(labels, c.output_gradients[1]) : ops::neg(c.output_gradients[1]);
  c.input_gradients[1] = ops::sum_to_shape_of(labels, c.inputs[1]);
}
void sparse_cross_entropy_gradient(GradientCall& c) { c.input_gradients[0] = to_logits(c); }

void sigmoid_cross_entropy_shape(Inference& i) {
  if (!compatible(i.shape(0), i.shape(1)))
    invalid("logits and labels must have one shape, theirs are ", i.shape(0).to_string(), " and ",
            i.shape(1).to_string(), " [Op:", i.row.name, "]");
  i.output_shapes[0] = merge(i.shape(0), i.shape(1));
}
// dx: sigmoid(x) - z, dz: -x
void sigmoid_cross_entropy_gradient(GradientCall& c) {
  const Tensor& g = c.output_gradients[0];
  c.input_gradients[0] = ops::mul(g, ops::sub(apply("Sigmoid"_op, {c.inputs[0]}), c.inputs[1]));
  c.input_gradients[1] = ops::neg(ops::mul(g, c.inputs[0]));
}

void lrn_shape(Inference& i) {
  if (const int64_t radius = i.attrs.get_or("depth_radius"_attr, int64_t{5}); radius < 0)
    invalid("depth_radius must not be negative, got ", radius, " [Op:", i.row.name, "]");
  for (size_t k = 0; k < i.inputs.size(); ++k) infer::check_rank(i, k, 4);
  Shape out = Shape::of_rank(4);
  for (size_t k = 0; k < i.inputs.size(); ++k) {
    if (!compatible(out, i.shape(k)))
      invalid("the inputs of ", i.row.name, " must have one shape, got ", i.shape(k).to_string(), ", expected was ",
              out.to_string());
    out = merge(out, i.shape(k));
  }
  i.output_shapes[0] = out;
}
void lrn_gradient(GradientCall& c) {
  c.input_gradients[0] = apply("LRNGrad"_op, {c.output_gradients[0], c.inputs[0], c.outputs[0]}, c.attrs);
}
// dx = g p - 2 alpha beta x B(g x q), where B sums over neighbours among the channels, s = bias + alpha B(x x),
// p = s^-beta, q = s^(-beta - 1). B is its own transpose, so both derivatives are made of the same parts.
void lrn_grad_gradient(GradientCall& c) {
  const Tensor& g = c.inputs[0];
  const Tensor& x = c.inputs[1];
  const Tensor& h = c.output_gradients[0];
  const DType t = x.dtype();
  const int64_t radius = c.attrs.get_or("depth_radius"_attr, int64_t{5});
  const double alpha = c.attrs.get_or("alpha"_attr, 1.f), beta = c.attrs.get_or("beta"_attr, 0.5f);
  const Tensor shape = ops::shape(x);
  const Tensor channels = ops::slice(shape, ops::ints({3}), ops::ints({1}));
  const Tensor square[] = {channels, channels};
  const Tensor reach =
      ops::cast(ops::reshape(ops::minimum(channels, ops::integer(radius)), ops::ints({})), DType::kInt64);
  const Tensor band = apply("MatrixBandPart"_op, {ops::fill(ops::concat(square, 0), ops::number(1, t)), reach, reach});
  const Tensor rows[] = {ops::ints({-1}), channels};
  const Tensor flat = ops::concat(rows, 0);
  const auto neighbours = [&](const Tensor& v) {
    return ops::reshape(ops::matmul(ops::reshape(v, flat), band), shape);
  };
  const Tensor s =
      ops::add(ops::scaled(neighbours(ops::square(x)), alpha), ops::number(c.attrs.get_or("bias"_attr, 1.f), t));
  const auto power = [&](double e) { return apply("Pow"_op, {s, ops::number(e, t)}); };
  const Tensor p = power(-beta), q = power(-beta - 1);
  const Tensor around = neighbours(ops::mul(h, x));
  c.input_gradients[0] = ops::sub(ops::mul(h, p), ops::scaled(ops::mul(ops::mul(x, q), around), 2 * alpha * beta));
  const Tensor through_s =
      ops::sub(ops::scaled(ops::mul(ops::mul(around, ops::mul(g, x)), power(-beta - 2)), 2 * alpha * beta * (beta + 1)),
               ops::scaled(ops::mul(ops::mul(h, g), q), beta));
  const Tensor direct =
      ops::add(ops::mul(h, neighbours(ops::mul(ops::mul(g, x), q))), ops::mul(around, ops::mul(g, q)));
  c.input_gradients[1] =
      ops::sub(ops::scaled(ops::mul(x, neighbours(through_s)), 2 * alpha), ops::scaled(direct, 2 * alpha * beta));
  c.input_gradients[2] = ops::zeros_like(c.inputs[2]);
}

}  // namespace

FL_ROWS(nn) {
  constexpr const char* kBiasAttrs = "T: numbers; data_format: string = \"NHWC\"";
  constexpr const char* kLrn =
      "depth_radius: int = 5; bias: float = 1.0; alpha: float = 1.0; beta: float = 0.5; T: floats = float32";
  return {
      {"BiasAdd", "value: T, bias: T -> output: T", kBiasAttrs, bias_add_shape, bias_add_gradient,
       OpFamily::kElementwise, "adds a vector along the channels"},
      {"BiasAddGrad", "out_backprop: T -> output: T", kBiasAttrs, bias_grad_shape, bias_grad_gradient,
       OpFamily::kReduction, "the gradient of BiasAdd with respect to the vector: the sum over all but the channels"},
      {"ScaleShift", "x: T, scale: T, shift: T -> y: T", "T: floats", scale_shift_shape, scale_shift_gradient,
       OpFamily::kElementwise, "x * scale + shift along the last dimension, the channels"},
      {"SoftmaxCrossEntropyWithLogits", "features: T, labels: T -> loss: T, backprop: T", "T: floats",
       cross_entropy_shape, cross_entropy_gradient, OpFamily::kReduction,
       "the cross entropy of softmax(features) and labels for each row, and its gradient",
       {.flops = flops::each_input<16>}},
      {"SparseSoftmaxCrossEntropyWithLogits", "features: T, labels: Tlabels -> loss: T, backprop: T",
       "T: floats; Tlabels: index = int64", sparse_cross_entropy_shape, sparse_cross_entropy_gradient,
       OpFamily::kReduction, "the same with class indices as labels", {.flops = flops::each_input<15>}},
      {"SigmoidCrossEntropy", "logits: T, labels: T -> loss: T", "T: float32|float64", sigmoid_cross_entropy_shape,
       sigmoid_cross_entropy_gradient, OpFamily::kElementwise,
       "max(x, 0) - x * labels + log(1 + exp(-|x|)) of logits x"},
      {"LRN", "input: T -> output: T", kLrn, lrn_shape, lrn_gradient, OpFamily::kReduction,
       "each element divided by (bias + alpha * the squares of its neighbours among the channels) ** beta"},
      {"LRNGrad", "input_grads: T, input_image: T, output_image: T -> output: T", kLrn, lrn_shape, lrn_grad_gradient,
       OpFamily::kReduction, "the gradient of LRN"},
  };
}

}  // namespace footlight
