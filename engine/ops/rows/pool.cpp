// Rows of poolings and their gradients.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"
#include "engine/ops/window.h"
#include "engine/tensor/size.h"

namespace footlight {

namespace {

template <int kSpatial>
void pool_shape(Inference& i) {
  const WindowAttrs attrs = window_attrs(i.row, i.attrs, kSpatial);
  infer::check_rank(i, 0, kSpatial + 2);
  const Shape& in = i.shape(0);
  Shape out = Shape::of_rank(kSpatial + 2);
  if (in.has_rank()) {
    out.set(0, in[0]);
    int64_t window_size = attrs.channel_size;
    for (int d = 0; d < kSpatial; ++d) window_size = multiply_sizes(window_size, attrs.size[d]);
    for (int d = 0; d < kSpatial; ++d)
      out.set(attrs.axis(d), window(i.row, attrs, d, in[attrs.axis(d)], attrs.size[d]).out);
    const int64_t channels = in[attrs.channel_axis()];
    if (channels >= 0 && attrs.channel_size > 1 && attrs.channel_size > channels)
      invalid("the window reaches over ", attrs.channel_size, " channels, the input has ", channels,
              " [Op:", i.row.name, "]");
    out.set(attrs.channel_axis(),
            channels < 0 ? kUnknownDim : (channels - attrs.channel_size) / attrs.channel_stride + 1);
  }
  for (Shape& s : i.output_shapes) s = out;
}

// The output of a pooling, or its gradient, has the shape given by the pooling.
template <int kSpatial>
void check_pooled(Inference& i, size_t which) {
  Shape pooled;
  std::span<Shape> all = i.output_shapes;
  i.output_shapes = {&pooled, 1};
  pool_shape<kSpatial>(i);
  i.output_shapes = all;
  if (!compatible(pooled, i.shape(which)))
    invalid("Expected ", i.row.inputs[which].name, " shape to be ", pooled.to_string(), ", but got ",
            i.shape(which).to_string(), " [Op:", i.row.name, "]");
}

void check_like_input(Inference& i, size_t grad) {
  if (!compatible(i.shape(0), i.shape(grad)))
    invalid("Expected grad shape to be ", i.shape(0).to_string(), ", but got ", i.shape(grad).to_string(),
            " [Op:", i.row.name, "]");
}

// Inputs are orig_input, orig_output and grad; the result has the shape of the input, or of the output.
template <int kSpatial>
void max_grad_shape(Inference& i) {
  check_pooled<kSpatial>(i, 1);
  check_pooled<kSpatial>(i, 2);
  i.output_shapes[0] = i.shape(0).has_rank() ? i.shape(0) : Shape::of_rank(kSpatial + 2);
}
template <int kSpatial>
void max_grad_grad_shape(Inference& i) {
  check_pooled<kSpatial>(i, 1);
  pool_shape<kSpatial>(i);
  check_like_input(i, 2);
}

template <int kSpatial>
void average_grad_shape(Inference& i) {
  window_attrs(i.row, i.attrs, kSpatial);
  Shape out = infer::shape_from(i, 0);
  if (!out.has_rank()) out = Shape::of_rank(kSpatial + 2);
  if (out.rank() != kSpatial + 2)
    invalid("orig_input_shape must have ", kSpatial + 2, " entries, it has ", out.rank(), " [Op:", i.row.name, "]");
  infer::check_rank(i, 1, kSpatial + 2);
  i.output_shapes[0] = out;
}

struct MaxNames {
  Op grad, grad_grad;
};
const MaxNames& max_names(int spatial) {
  static const MaxNames all[] = {{Op("MaxPoolGrad"), Op("MaxPoolGradGrad")},
                                 {Op("MaxPool3DGrad"), Op("MaxPool3DGradGrad")}};
  return all[spatial - 2];
}

template <int kSpatial>
void max_gradient(GradientCall& c) {
  c.input_gradients[0] = apply(max_names(kSpatial).grad, {c.inputs[0], c.outputs[0], c.output_gradients[0]}, c.attrs);
}
// The position of the maximum is taken as constant.
template <int kSpatial>
void max_grad_gradient(GradientCall& c) {
  c.input_gradients[0] = ops::zeros_like(c.inputs[0]);
  c.input_gradients[1] = ops::zeros_like(c.inputs[1]);
  c.input_gradients[2] =
      apply(max_names(kSpatial).grad_grad, {c.inputs[0], c.inputs[1], c.output_gradients[0]}, c.attrs);
}
template <int kSpatial>
void max_grad_grad_gradient(GradientCall& c) {
  c.input_gradients[0] = ops::zeros_like(c.inputs[0]);
  c.input_gradients[1] = ops::zeros_like(c.inputs[1]);
  c.input_gradients[2] = apply(max_names(kSpatial).grad, {c.inputs[0], c.inputs[1], c.output_gradients[0]}, c.attrs);
}

template <int kSpatial>
void average_gradient(GradientCall& c) {
  static const Op op{kSpatial == 3 ? "AvgPool3DGrad" : "AvgPoolGrad"};
  c.input_gradients[0] = apply(op, {ops::shape(c.inputs[0]), c.output_gradients[0]}, c.attrs);
}
template <int kSpatial>
void average_grad_gradient(GradientCall& c) {
  static const Op op{kSpatial == 3 ? "AvgPool3D" : "AvgPool"};
  c.input_gradients[1] = apply(op, {c.output_gradients[0]}, c.attrs);
}

// The attributes that MaxPoolWithArgmax and its gradients share.
Attrs with_argmax(const Attrs& from) {
  Attrs attrs;
  for (const AttrName name : {"ksize"_attr, "strides"_attr, "padding"_attr, "include_batch_in_index"_attr})
    if (const AttrValue* value = from.find(name)) attrs.set(name, *value);
  return attrs;
}
void argmax_gradient(GradientCall& c) {
  if (!c.output_gradients[0]) return;
  c.input_gradients[0] =
      apply("MaxPoolGradWithArgmax"_op, {c.inputs[0], c.output_gradients[0], c.outputs[1]}, with_argmax(c.attrs));
}
void argmax_grad_gradient(GradientCall& c) {
  c.input_gradients[0] = ops::zeros_like(c.inputs[0]);
  c.input_gradients[1] =
      apply("MaxPoolGradGradWithArgmax"_op, {c.inputs[0], c.output_gradients[0], c.inputs[2]}, c.attrs);
}
void argmax_grad_grad_gradient(GradientCall& c) {
  c.input_gradients[0] = ops::zeros_like(c.inputs[0]);
  c.input_gradients[1] = apply("MaxPoolGradWithArgmax"_op, {c.inputs[0], c.output_gradients[0], c.inputs[2]}, c.attrs);
}

// input, grad, argmax.
void argmax_grad_shape(Inference& i) {
  check_pooled<2>(i, 1);
  check_pooled<2>(i, 2);
  i.output_shapes[0] = i.shape(0).has_rank() ? i.shape(0) : Shape::of_rank(4);
}
void argmax_grad_grad_shape(Inference& i) {
  check_pooled<2>(i, 2);
  pool_shape<2>(i);
  check_like_input(i, 1);
}

}  // namespace

FL_ROWS(pool) {
#define FL_POOL "ksize: list(int); strides: list(int); padding: string; "
  constexpr const char* kAverage = FL_POOL "data_format: string = \"NHWC\"; T: floats";
  constexpr const char* kAverage3D = FL_POOL "data_format: string = \"NDHWC\"; T: floats";
  constexpr const char* kMax = "T: floats|int8|int16|int32|int64|uint8|uint16 = float32; " FL_POOL
                               "explicit_paddings: list(int) = []; data_format: string = \"NHWC\"";
  constexpr const char* kMax3D = FL_POOL "data_format: string = \"NDHWC\"; T: floats";
  constexpr const char* kArgmax = FL_POOL
      "Targmax: index = int64; include_batch_in_index: bool = false; T: floats|int8|int16|int32|int64|uint8|uint16";
  constexpr const char* kArgmaxGrad =
      FL_POOL "include_batch_in_index: bool = false; Targmax: index; T: floats|int8|int16|int32|int64|uint8|uint16";
#undef FL_POOL
  constexpr const char* kOne = "value: T -> output: T";
  constexpr const char* kThree = "orig_input: T, orig_output: T, grad: T -> output: T";
  constexpr const char* kBack = "orig_input_shape: int32, grad: T -> output: T";
  const RowDef::Properties first_is_shape{.dispatch = 1, .host_inputs = 1};
  return {
      {"AvgPool", kOne, kAverage, pool_shape<2>, average_gradient<2>, OpFamily::kReduction,
       "the mean of each window, without padding"},
      {"AvgPoolGrad", kBack, kAverage, average_grad_shape<2>, average_grad_gradient<2>, OpFamily::kReduction,
       "the gradient of AvgPool", first_is_shape},
      {"AvgPool3D", "input: T -> output: T", kAverage3D, pool_shape<3>, average_gradient<3>, OpFamily::kReduction,
       "the mean of each window of a volume, without padding"},
      {"AvgPool3DGrad", kBack, kAverage3D, average_grad_shape<3>, average_grad_gradient<3>, OpFamily::kReduction,
       "the gradient of AvgPool3D", first_is_shape},
      {"MaxPool", "input: T -> output: T", kMax, pool_shape<2>, max_gradient<2>, OpFamily::kReduction,
       "the largest in each window"},
      {"MaxPoolGrad", kThree, kMax, max_grad_shape<2>, max_grad_gradient<2>, OpFamily::kReduction,
       "the gradient of MaxPool: to the first of the largest"},
      {"MaxPoolGradGrad", kThree, kMax, max_grad_grad_shape<2>, max_grad_grad_gradient<2>, OpFamily::kReduction,
       "the elements of `grad` at the maximum of each window"},
      {"MaxPool3D", "input: T -> output: T", kMax3D, pool_shape<3>, max_gradient<3>, OpFamily::kReduction,
       "the largest in each window of a volume"},
      {"MaxPool3DGrad", "orig_input: TInput, orig_output: TInput, grad: T -> output: T",
       "ksize: list(int); strides: list(int); padding: string; data_format: string = \"NDHWC\"; T: floats; "
       "TInput: floats",
       max_grad_shape<3>, max_grad_gradient<3>, OpFamily::kReduction, "the gradient of MaxPool3D"},
      {"MaxPool3DGradGrad", kThree, kMax3D, max_grad_grad_shape<3>, max_grad_grad_gradient<3>, OpFamily::kReduction,
       "the elements of `grad` at the maximum of each window of a volume"},
      {"MaxPoolWithArgmax", "input: T -> output: T, argmax: Targmax", kArgmax, pool_shape<2>, argmax_gradient,
       OpFamily::kReduction, "the maximum of each window and its index"},
      {"MaxPoolGradWithArgmax", "input: T, grad: T, argmax: Targmax -> output: T", kArgmaxGrad, argmax_grad_shape,
       argmax_grad_gradient, OpFamily::kReduction, "the gradient of MaxPoolWithArgmax"},
      {"MaxPoolGradGradWithArgmax", "input: T, grad: T, argmax: Targmax -> output: T", kArgmaxGrad,
       argmax_grad_grad_shape, argmax_grad_grad_gradient, OpFamily::kReduction,
       "the elements of `grad` at the positions of the maxima"},
  };
}

}  // namespace footlight
