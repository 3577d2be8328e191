// Rows that resize images.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"

namespace footlight {
namespace {

void check_flags(Inference& i) {
  if (i.attrs.get_or("align_corners"_attr, false) && i.attrs.get_or("half_pixel_centers"_attr, false))
    invalid("If half_pixel_centers is True, align_corners must be False. [Op:", i.row.name, "]");
}

// The shape of the images, [batch, height, width, channels], with the height and width given by input 1.
Shape resized(Inference& i) {
  infer::check_rank(i, 0, 4);
  infer::check_rank(i, 1, 1);
  const Shape in = i.shape(0).has_rank() ? i.shape(0) : Shape::of_rank(4);
  Shape out{in[0], kUnknownDim, kUnknownDim, in[3]};
  if (i.shape(1).has_rank() && i.shape(1)[0] >= 0 && i.shape(1)[0] != 2)
    invalid("size must be 1-dimensional with 2 elements, its shape is ", i.shape(1).brackets(), " [Op:", i.row.name,
            "]");
  if (const auto size = infer::constant_ints(i, 1)) {
    if ((*size)[0] <= 0 || (*size)[1] <= 0)
      invalid("output dimensions must be positive, got ", (*size)[0], " and ", (*size)[1], " [Op:", i.row.name, "]");
    out.set(1, (*size)[0]);
    out.set(2, (*size)[1]);
  }
  if (in[1] == 0 || in[2] == 0) invalid("input image must be of non-zero size [Op:", i.row.name, "]");
  return out;
}

void resize_shape(Inference& i) {
  check_flags(i);
  i.output_shapes[0] = resized(i);
}

void check_scale_and_translation(Inference& i) {
  for (size_t k : {size_t{2}, size_t{3}})
    if (i.shape(k).has_rank() && (i.shape(k).rank() != 1 || (i.shape(k)[0] >= 0 && i.shape(k)[0] != 2)))
      invalid(i.row.inputs[k].name, " must be 1-dimensional with 2 elements, its shape is ", i.shape(k).brackets(),
              " [Op:", i.row.name, "]");
}
void scale_and_translate_shape(Inference& i) {
  i.output_shapes[0] = resized(i);
  check_scale_and_translation(i);
}

// The shape of a gradient: that of the images, input 1. Input 0 is the incoming gradient.
void gradient_like_image(Inference& i) {
  check_flags(i);
  infer::check_rank(i, 0, 4);
  infer::check_rank(i, 1, 4);
  const Shape like = i.shape(1).has_rank() ? i.shape(1) : Shape::of_rank(4);
  const Shape grads = i.shape(0).has_rank() ? i.shape(0) : Shape::of_rank(4);
  for (const int d : {0, 3})
    if (like[d] >= 0 && grads[d] >= 0 && like[d] != grads[d])
      invalid("the gradient has shape ", grads.brackets(), ", which no resized image of shape ", like.brackets(),
              " has [Op:", i.row.name, "]");
  i.output_shapes[0] = like;
}

void scale_and_translate_gradient_shape(Inference& i) {
  gradient_like_image(i);
  check_scale_and_translation(i);
}

Attrs flags_of(const Attrs& attrs) {
  return {{"align_corners"_attr, attrs.get_or("align_corners"_attr, false)},
          {"half_pixel_centers"_attr, attrs.get_or("half_pixel_centers"_attr, false)}};
}
void bilinear_gradient(GradientCall& c) {
  if (!is_floating(c.inputs[0].dtype())) return;
  c.input_gradients[0] = apply("ResizeBilinearGrad"_op, {c.output_gradients[0], c.inputs[0]}, flags_of(c.attrs));
}
void bicubic_gradient(GradientCall& c) {
  if (!is_floating(c.inputs[0].dtype())) return;
  c.input_gradients[0] = apply("ResizeBicubicGrad"_op, {c.output_gradients[0], c.inputs[0]}, flags_of(c.attrs));
}
void nearest_gradient(GradientCall& c) {
  const Tensor size = ops::slice(ops::shape(c.inputs[0]), ops::ints({1}), ops::ints({2}));
  c.input_gradients[0] = apply("ResizeNearestNeighborGrad"_op, {c.output_gradients[0], size}, flags_of(c.attrs));
}
void scale_and_translate_gradient(GradientCall& c) {
  if (!is_floating(c.inputs[0].dtype())) return;
  const Tensor image = c.inputs[0].dtype() == DType::kFloat32 ? c.inputs[0] : ops::cast(c.inputs[0], DType::kFloat32);
  const Tensor g = apply("ScaleAndTranslateGrad"_op, {c.output_gradients[0], image, c.inputs[2], c.inputs[3]},
                         {{"kernel_type"_attr, c.attrs.get_or("kernel_type"_attr, std::string("lanczos3"))},
                          {"antialias"_attr, c.attrs.get_or("antialias"_attr, true)}});
  c.input_gradients[0] = c.inputs[0].dtype() == DType::kFloat32 ? g : ops::cast(g, c.inputs[0].dtype());
}

// The gradient op is linear, so its own gradient is the forward op.
template <int kOp>
void back_gradient(GradientCall& c) {
  static const Op ops_there[] = {Op("ResizeBilinear"), Op("ResizeBicubic")};
  const Tensor size = ops::slice(ops::shape(c.inputs[0]), ops::ints({1}), ops::ints({2}));
  c.input_gradients[0] = apply(ops_there[kOp], {c.output_gradients[0], size}, flags_of(c.attrs));
  c.input_gradients[1] = ops::zeros_like(c.inputs[1]);
}
void nearest_back_gradient(GradientCall& c) {
  const Tensor size = ops::slice(ops::shape(c.inputs[0]), ops::ints({1}), ops::ints({2}));
  c.input_gradients[0] = apply("ResizeNearestNeighbor"_op, {c.output_gradients[0], size}, flags_of(c.attrs));
}

}  // namespace

FL_ROWS(image_resize) {
  constexpr const char* kToFloat = "images: T, size: int32 -> resized_images: float32";
  constexpr const char* kImages =
      "T: int8|uint8|int16|uint16|int32|int64|float16|float32|float64|bfloat16; "
      "align_corners: bool = false; half_pixel_centers: bool = false";
  constexpr const char* kBack = "grads: float32, original_image: T -> output: T";
  constexpr const char* kBackTypes =
      "T: floats; align_corners: bool = false; half_pixel_centers: bool = false";
  const RowDef::Properties size{.host_inputs = 2};
  const RowDef::Properties back{.dispatch = 1};
  return {
      {"ResizeBilinear", kToFloat, kImages, resize_shape, bilinear_gradient, OpFamily::kReduction,
       "images of another size, by linear interpolation", size},
      {"ResizeBilinearGrad", kBack, kBackTypes, gradient_like_image, back_gradient<0>, OpFamily::kReduction,
       "the gradient of ResizeBilinear with respect to the images", back},
      {"ResizeBicubic", kToFloat, kImages, resize_shape, bicubic_gradient, OpFamily::kReduction,
       "images of another size, by cubic interpolation", size},
      {"ResizeBicubicGrad", kBack,
       "T: float32|float64; align_corners: bool = false; half_pixel_centers: bool = false", gradient_like_image,
       back_gradient<1>, OpFamily::kReduction, "the gradient of ResizeBicubic with respect to the images", back},
      {"ResizeNearestNeighbor", "images: T, size: int32 -> resized_images: T", kImages, resize_shape, nearest_gradient,
       OpFamily::kMove, "images of another size, of the nearest pixels", size},
      {"ResizeNearestNeighborGrad", "grads: T, size: int32 -> output: T",
       "T: uint8|int8|int32|float16|float32|float64|bfloat16; align_corners: bool = false; half_pixel_centers: bool = "
       "false",
       resize_shape, nearest_back_gradient, OpFamily::kReduction,
       "the gradient of ResizeNearestNeighbor with respect to the images", size},
      {"ResizeArea", kToFloat,
       "T: int8|uint8|int16|uint16|int32|int64|float16|float32|float64|bfloat16; align_corners: bool = false",
       resize_shape, nullptr, OpFamily::kReduction, "images of another size, of averages over areas", size},
      {"ScaleAndTranslate", "images: T, size: int32, scale: float32, translation: float32 -> resized_images: float32",
       "T: int8|uint8|int16|uint16|int32|int64|float16|float32|float64|bfloat16; kernel_type: string = \"lanczos3\"; "
       "antialias: bool = true",
       scale_and_translate_shape, scale_and_translate_gradient, OpFamily::kReduction,
       "images scaled and moved, of weighted sums of their pixels", {.host_inputs = 2}},
      {"ScaleAndTranslateGrad",
       "grads: T, original_image: T, scale: float32, translation: float32 -> output: T",
       "T: float32; kernel_type: string = \"lanczos3\"; antialias: bool = true",
       scale_and_translate_gradient_shape, nullptr, OpFamily::kReduction,
       "the gradient of ScaleAndTranslate with respect to the images"},
  };
}

}  // namespace footlight
