// Rows that move pixels between space and channels, and morphological dilation.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"
#include "engine/ops/window.h"
#include "engine/tensor/size.h"

namespace footlight {

namespace {

template <bool kToDepth>
void space_depth_shape(Inference& i) {
  const std::string format = i.attrs.get_or("data_format"_attr, std::string("NHWC"));
  if (format != "NHWC" && format != "NCHW")
    invalid("Value for attr 'data_format' of \"", format,
            "\" is not in the list of allowed values: \"NHWC\", \"NCHW\" [Op:", i.row.name, "]");
  const bool first = format == "NCHW";
  const int64_t block = i.attrs.get<int64_t>("block_size"_attr);
  if (block < 2)
    invalid("Value for attr 'block_size' of ", block, " must be at least minimum 2 [Op:", i.row.name, "]");
  infer::check_rank(i, 0, 4);
  const Shape in = i.shape(0).has_rank() ? i.shape(0) : Shape::of_rank(4);
  Shape out = in;
  for (int d = 0; d < 2; ++d) {
    const int axis = first ? d + 2 : d + 1;
    if (in[axis] < 0) continue;
    if (kToDepth && in[axis] % block != 0)
      invalid("Image ", d == 0 ? "height " : "width ", in[axis], " should be divisible by block_size: ", block,
              " [Op:SpaceToDepth]");
    out.set(axis, kToDepth ? in[axis] / block : multiply_sizes(in[axis], block));
  }
  const int axis = first ? 1 : 3;
  if (in[axis] >= 0) {
    const int64_t area = multiply_sizes(block, block);
    if (!kToDepth && in[axis] % area != 0)
      invalid("Input depth dimension ", in[axis], " should be divisible by: ", area, " [Op:DepthToSpace]");
    out.set(axis, kToDepth ? multiply_sizes(in[axis], area) : in[axis] / area);
  }
  i.output_shapes[0] = out;
}
void space_to_depth_gradient(GradientCall& c) {
  c.input_gradients[0] = apply("DepthToSpace"_op, {c.output_gradients[0]}, c.attrs);
}
void depth_to_space_gradient(GradientCall& c) {
  c.input_gradients[0] = apply("SpaceToDepth"_op, {c.output_gradients[0]}, c.attrs);
}

// input [batch, height, width, depth], filter [height, width, depth].
Shape dilation_output(Inference& i) {
  const WindowAttrs attrs = window_attrs(i.row, i.attrs, 2);
  infer::check_rank(i, 0, 4);
  infer::check_rank(i, 1, 3);
  const Shape in = i.shape(0).has_rank() ? i.shape(0) : Shape::of_rank(4);
  const Shape filter = i.shape(1).has_rank() ? i.shape(1) : Shape::of_rank(3);
  if (in[3] >= 0 && filter[2] >= 0 && in[3] != filter[2])
    invalid("input and filter must have the same depth: ", in[3], " vs ", filter[2], " [Op:", i.row.name, "]");
  return Shape{in[0], window(i.row, attrs, 0, in[1], filter[0]).out, window(i.row, attrs, 1, in[2], filter[1]).out,
               in[3] >= 0 ? in[3] : filter[2]};
}
void dilation_shape(Inference& i) { i.output_shapes[0] = dilation_output(i); }
template <int kLike>
void dilation_back_shape(Inference& i) {
  const Shape out = dilation_output(i);
  if (!compatible(out, i.shape(2)))
    invalid("Expected out_backprop shape to be ", out.to_string(), ", but got ", i.shape(2).to_string(),
            " [Op:", i.row.name, "]");
  i.output_shapes[0] = i.shape(kLike).has_rank() ? i.shape(kLike) : Shape::of_rank(kLike == 0 ? 4 : 3);
}
template <int kLike>
void dilation_pick_shape(Inference& i) {
  if (!compatible(i.shape(kLike), i.shape(2)))
    invalid("Expected values shape to be ", i.shape(kLike).to_string(), ", but got ", i.shape(2).to_string(),
            " [Op:", i.row.name, "]");
  i.output_shapes[0] = dilation_output(i);
}

void dilation_gradient(GradientCall& c) {
  const Tensor& g = c.output_gradients[0];
  c.input_gradients[0] = apply("Dilation2DBackpropInput"_op, {c.inputs[0], c.inputs[1], g}, c.attrs);
  c.input_gradients[1] = apply("Dilation2DBackpropFilter"_op, {c.inputs[0], c.inputs[1], g}, c.attrs);
}
// The position of the maximum is taken as constant: the gradient flows only to its value.
template <int kNext>
void flowing_gradient(GradientCall& c) {
  static const Op next[] = {Op("Dilation2DPickInput"), Op("Dilation2DPickFilter"), Op("Dilation2DBackpropInput"),
                            Op("Dilation2DBackpropFilter")};
  c.input_gradients[0] = ops::zeros_like(c.inputs[0]);
  c.input_gradients[1] = ops::zeros_like(c.inputs[1]);
  c.input_gradients[2] = apply(next[kNext], {c.inputs[0], c.inputs[1], c.output_gradients[0]}, c.attrs);
}

}  // namespace

FL_ROWS(image_space) {
  constexpr const char* kSpace = "T: any; block_size: int; data_format: string = \"NHWC\"";
  constexpr const char* kDilation = "T: real; strides: list(int); rates: list(int); padding: string";
  constexpr const char* kToInput = "input: T, filter: T, out_backprop: T -> in_backprop: T";
  constexpr const char* kToFilter = "input: T, filter: T, out_backprop: T -> filter_backprop: T";
  constexpr const char* kPick = "input: T, filter: T, values: T -> output: T";
  return {
      {"SpaceToDepth", "input: T -> output: T", kSpace, space_depth_shape<true>, space_to_depth_gradient,
       OpFamily::kMove, "blocks of pixels as channels of one pixel"},
      {"DepthToSpace", "input: T -> output: T", kSpace, space_depth_shape<false>, depth_to_space_gradient,
       OpFamily::kMove, "channels as blocks of pixels"},
      {"Dilation2D", "input: T, filter: T -> output: T", kDilation, dilation_shape, dilation_gradient,
       OpFamily::kReduction, "the largest of input plus filter in each window"},
      {"Dilation2DBackpropInput", kToInput, kDilation, dilation_back_shape<0>, flowing_gradient<0>,
       OpFamily::kReduction, "the gradient of Dilation2D with respect to its input"},
      {"Dilation2DBackpropFilter", kToFilter, kDilation, dilation_back_shape<1>, flowing_gradient<1>,
       OpFamily::kReduction, "the gradient of Dilation2D with respect to its filter"},
      {"Dilation2DPickInput", kPick, kDilation, dilation_pick_shape<0>, flowing_gradient<2>, OpFamily::kReduction,
       "the elements of `values` at the input position of each maximum"},
      {"Dilation2DPickFilter", kPick, kDilation, dilation_pick_shape<1>, flowing_gradient<3>, OpFamily::kReduction,
       "the elements of `values` at the filter position of each maximum"},
  };
}

}  // namespace footlight
