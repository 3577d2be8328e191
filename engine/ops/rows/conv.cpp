// Rows of convolutions: forward, with respect to the input, with respect to the filter; each is a gradient of the
// others.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"
#include "engine/ops/wanted.h"
#include "engine/ops/window.h"
#include "engine/tensor/size.h"

namespace footlight {

namespace {

enum Kind { k2D, k3D, kDepthwise };

Convolution known(Inference& i, Kind kind, const Shape& input, const Shape& filter) {
  return convolution(i.row, i.attrs, kind == k3D ? 3 : 2, kind == kDepthwise, input, filter);
}

bool has_nothing(const Shape& s) {
  if (!s.has_rank()) return false;
  for (const int64_t size : s.dims())
    if (size == 0) return true;
  return false;
}

template <Kind kind>
void forward_shape(Inference& i) {
  if (has_nothing(i.shape(1)))
    invalid("filter must not have zero elements, its shape is ", i.shape(1).to_string(), " [Op:", i.row.name, "]");
  i.output_shapes[0] = output_shape(known(i, kind, i.shape(0), i.shape(1)));
}

// The incoming gradient must have the shape of the output, unless there is nothing to compute.
void check_arriving(Inference& i, const Convolution& c, const Shape& arriving) {
  const Shape wanted = output_shape(c);
  if (!compatible(arriving, wanted))
    invalid("Size of out_backprop doesn't match computed: its shape is ", arriving.to_string(), ", expected is ",
            wanted.to_string(), " [Op:", i.row.name, "]");
}

// The shape of a gradient by the input, from input_sizes, filter and out_backprop. The sizes may omit batch and
// channels.
template <Kind kind>
void input_shape(Inference& i) {
  const int rank = kind == k3D ? 5 : 4;
  const WindowAttrs attrs = window_attrs(i.row, i.attrs, rank - 2);
  const Shape& filter = i.shape(1);
  const Shape& arriving = i.shape(2);
  infer::check_rank(i, 1, rank);
  infer::check_rank(i, 2, rank);
  Shape out = infer::shape_from(i, 0, infer::NegativeSizes::kAllowed);  // the batch may be -1
  if (out.has_rank() && out.rank() == rank - 2) {
    Shape whole = Shape::of_rank(rank);
    for (int d = 0; d < rank - 2; ++d) whole.set(attrs.axis(d), out[d]);
    if (filter.has_rank() && filter.rank() == rank) whole.set(attrs.channel_axis(), filter[rank - 2]);
    out = whole;
  }
  if (!out.has_rank()) out = Shape::of_rank(rank);
  if (out.rank() != rank)
    invalid("input_sizes must have ", rank, " entries, or ", rank - 2, " without batch and channels, it has ",
            out.rank(), " [Op:", i.row.name, "]");
  if (i.constant(0))
    for (const int64_t size : out.dims().subspan(1))
      if (size < 0 && filter.has_rank())
        invalid("input_sizes may be -1 for the batch only: ", out.brackets(), " [Op:", i.row.name, "]");
  if (out[0] < 0 && arriving.has_rank() && arriving.rank() > 0) out.set(0, arriving[0]);
  i.output_shapes[0] = out;
  if (has_nothing(out) || has_nothing(filter) || has_nothing(arriving)) return;
  check_arriving(i, known(i, kind, out, filter), arriving);
}

// The shape of a gradient by the filter, from input, filter_sizes and out_backprop.
template <Kind kind>
void filter_shape(Inference& i) {
  const int rank = kind == k3D ? 5 : 4;
  infer::check_rank(i, 0, rank);
  infer::check_rank(i, 2, rank);
  Shape out = infer::shape_from(i, 1);
  if (!out.has_rank()) out = Shape::of_rank(rank);
  if (out.rank() != rank)
    invalid("filter_sizes must have ", rank, " entries, it has ", out.rank(), " [Op:", i.row.name, "]");
  i.output_shapes[0] = out;
  if (has_nothing(out) || has_nothing(i.shape(0)) || has_nothing(i.shape(2))) return;
  check_arriving(i, known(i, kind, i.shape(0), out), i.shape(2));
}

struct Names {
  Op forward, to_input, to_filter;
};
const Names& names(Kind kind) {
  static const Names all[] = {
      {Op("Conv2D"), Op("Conv2DBackpropInput"), Op("Conv2DBackpropFilter")},
      {Op("Conv3D"), Op("Conv3DBackpropInputV2"), Op("Conv3DBackpropFilterV2")},
      {Op("DepthwiseConv2dNative"), Op("DepthwiseConv2dNativeBackpropInput"),
       Op("DepthwiseConv2dNativeBackpropFilter")},
  };
  return all[kind];
}

template <Kind kind>
void forward_gradient(GradientCall& c) {
  const Tensor& x = c.inputs[0];
  const Tensor& filter = c.inputs[1];
  const Tensor& g = c.output_gradients[0];
  if (gradient_wanted(0)) c.input_gradients[0] = apply(names(kind).to_input, {ops::shape(x), filter, g}, c.attrs);
  if (gradient_wanted(1)) c.input_gradients[1] = apply(names(kind).to_filter, {x, ops::shape(filter), g}, c.attrs);
}

template <Kind kind>
void input_gradient(GradientCall& c) {
  const Tensor& filter = c.inputs[1];
  const Tensor& g = c.output_gradients[0];
  if (gradient_wanted(1))
    c.input_gradients[1] = apply(names(kind).to_filter, {g, ops::shape(filter), c.inputs[2]}, c.attrs);
  if (gradient_wanted(2)) c.input_gradients[2] = apply(names(kind).forward, {g, filter}, c.attrs);
}

template <Kind kind>
void filter_gradient(GradientCall& c) {
  const Tensor& x = c.inputs[0];
  const Tensor& g = c.output_gradients[0];
  if (gradient_wanted(0))
    c.input_gradients[0] = apply(names(kind).to_input, {ops::shape(x), g, c.inputs[2]}, c.attrs);
  if (gradient_wanted(2)) c.input_gradients[2] = apply(names(kind).forward, {x, g}, c.attrs);
}

// The shape of a convolution whose input has 2 or 3 spatial dimensions.
void any_shape(Inference& i) {
  const Shape& in = i.shape(0);
  const int64_t batch_dims = i.attrs.get_or("batch_dims"_attr, int64_t{1});
  if (batch_dims < 1 || batch_dims > kMaxDimensions)
    invalid("batch_dims must be positive and at most ", kMaxDimensions, ", not ", batch_dims, " [Op:Conv]");
  const Shape& filter = i.shape(1);
  if (has_nothing(filter))
    invalid("filter must not have zero elements, its shape is ", filter.to_string(), " [Op:Conv]");
  if (!in.has_rank() || !filter.has_rank()) return infer::unknown(i);
  const int spatial = in.rank() - static_cast<int>(batch_dims) - 1;
  if (spatial != 2 && spatial != 3)
    invalid("Input tensor must be rank 4 or 5, excluding all but one of its ", batch_dims,
            " batch dimensions; its shape is ", in.to_string(), " [Op:Conv]");
  Shape flat;
  int64_t batch = 1;
  for (int d = 0; d < batch_dims; ++d) batch = multiply_sizes(batch, in[d]);
  flat.append(batch);
  for (int d = static_cast<int>(batch_dims); d < in.rank(); ++d) flat.append(in[d]);
  const Convolution c = convolution(i.row, i.attrs, spatial, false, flat, filter);
  const int64_t groups = i.attrs.get_or("groups"_attr, int64_t{1});
  if (c.groups > 0 && groups != c.groups && groups != 1)
    invalid("groups is ", groups, ", input depth and filter depth make ", c.groups, " [Op:Conv]");
  const Shape out = output_shape(c);
  Shape whole;
  for (int d = 0; d < batch_dims; ++d) whole.append(in[d]);
  for (int d = 1; d < out.rank(); ++d) whole.append(out[d]);
  i.output_shapes[0] = whole;
}

}  // namespace

FL_ROWS(conv) {
  constexpr const char* k2DAttrs =
      "T: floats|int32; strides: list(int); use_cudnn_on_gpu: bool = true; padding: string; "
      "explicit_paddings: list(int) = []; data_format: string = \"NHWC\"; dilations: list(int) = [1, 1, 1, 1]";
  constexpr const char* k3DAttrs =
      "T: floats; strides: list(int); padding: string; data_format: string = \"NDHWC\"; "
      "dilations: list(int) = [1, 1, 1, 1, 1]";
  constexpr const char* k3DBackAttrs =
      "T: floats; strides: list(int); padding: string; data_format: string = \"NDHWC\"; "
      "dilations: list(int) = [1, 1, 1, 1, 1]; Tshape: index = int32";
  constexpr const char* kDepthwiseAttrs =
      "T: floats; strides: list(int); padding: string; explicit_paddings: list(int) = []; "
      "data_format: string = \"NHWC\"; dilations: list(int) = [1, 1, 1, 1]";
  constexpr const char* kForward = "input: T, filter: T -> output: T";
  constexpr const char* kToInput = "input_sizes: int32, filter: T, out_backprop: T -> output: T";
  constexpr const char* kToFilter = "input: T, filter_sizes: int32, out_backprop: T -> output: T";
  const auto forward = [](FlopsFunction flops) { return RowDef::Properties{.flops = flops}; };
  const auto to_input = [](FlopsFunction flops) {  // the first input is sizes
    return RowDef::Properties{.dispatch = 1, .host_inputs = 1, .flops = flops};
  };
  const auto to_filter = [](FlopsFunction flops) { return RowDef::Properties{.host_inputs = 2, .flops = flops}; };
  return {
      {"Conv2D", kForward, k2DAttrs, forward_shape<k2D>, forward_gradient<k2D>, OpFamily::kProduct,
       "the 2-D convolution of images with filters", forward(flops::convolution)},
      {"Conv2DBackpropInput", kToInput, k2DAttrs, input_shape<k2D>, input_gradient<k2D>, OpFamily::kProduct,
       "the gradient of Conv2D with respect to its input", to_input(flops::convolution_to_input)},
      {"Conv2DBackpropFilter", kToFilter, k2DAttrs, filter_shape<k2D>, filter_gradient<k2D>, OpFamily::kProduct,
       "the gradient of Conv2D with respect to its filter", to_filter(flops::convolution_to_filter)},
      {"Conv3D", kForward, k3DAttrs, forward_shape<k3D>, forward_gradient<k3D>, OpFamily::kProduct,
       "the 3-D convolution of volumes with filters", forward(flops::convolution)},
      {"Conv3DBackpropInputV2", "input_sizes: Tshape, filter: T, out_backprop: T -> output: T", k3DBackAttrs,
       input_shape<k3D>, input_gradient<k3D>, OpFamily::kProduct, "the gradient of Conv3D with respect to its input",
       to_input(flops::convolution_to_input)},
      {"Conv3DBackpropFilterV2", kToFilter, k3DAttrs, filter_shape<k3D>, filter_gradient<k3D>, OpFamily::kProduct,
       "the gradient of Conv3D with respect to its filter", to_filter(flops::convolution_to_filter)},
      {"DepthwiseConv2dNative", kForward, kDepthwiseAttrs, forward_shape<kDepthwise>, forward_gradient<kDepthwise>,
       OpFamily::kProduct, "the 2-D convolution of each channel with filters of its own", forward(flops::depthwise)},
      {"DepthwiseConv2dNativeBackpropInput", kToInput, kDepthwiseAttrs, input_shape<kDepthwise>,
       input_gradient<kDepthwise>, OpFamily::kProduct,
       "the gradient of DepthwiseConv2dNative with respect to its input", to_input(flops::depthwise_to_input)},
      {"DepthwiseConv2dNativeBackpropFilter", kToFilter, kDepthwiseAttrs, filter_shape<kDepthwise>,
       filter_gradient<kDepthwise>, OpFamily::kProduct,
       "the gradient of DepthwiseConv2dNative with respect to its filter", to_filter(flops::depthwise_to_filter)},
      {"Conv", kForward,
       "T: floats|int32; strides: list(int); padding: string; explicit_paddings: list(int) = []; "
       "data_format: string = \"CHANNELS_LAST\"; dilations: list(int) = []; batch_dims: int = 1; groups: int = 1",
       any_shape, nullptr, OpFamily::kProduct,
       "the convolution over 2 or 3 dimensions, by the rank of the input", forward(flops::convolution)},
  };
}

}  // namespace footlight
