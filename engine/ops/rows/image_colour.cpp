// Rows that convert colours of images.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"

namespace footlight {
namespace {

void check_three_channels(Inference& i) {
  const Shape& shape = i.shape(0);
  if (!shape.has_rank()) return;
  if (shape.rank() < 1) invalid("input must be at least 1D, got a scalar [Op:", i.row.name, "]");
  const int64_t channels = shape[shape.rank() - 1];
  if (channels >= 0 && channels != 3)
    fail(ErrorKind::kFailedPrecondition, "input must have 3 channels but instead has ", channels, " channels. [Op:",
         i.row.name, "]");
}
void check_three_channels_or_invalid(Inference& i) {
  const Shape& shape = i.shape(0);
  if (!shape.has_rank()) return;
  if (shape.rank() < 3) invalid("input must be at least 3-D, got shape ", shape.brackets(), " [Op:", i.row.name, "]");
  const int64_t channels = shape[shape.rank() - 1];
  if (channels >= 0 && channels != 3)
    invalid("input must have 3 channels but instead has ", channels, " channels. [Op:", i.row.name, "]");
}

void colour_shape(Inference& i) {
  check_three_channels(i);
  Shape out = i.shape(0);
  if (out.has_rank()) out.set(out.rank() - 1, 3);
  i.output_shapes[0] = out;
}
void gradient_shape(Inference& i) {
  check_three_channels(i);
  for (size_t k = 1; k < 3; ++k)
    if (!compatible(i.shape(0), i.shape(k)))
      invalid("the gradient has shape ", i.shape(2).brackets(), ", the colours ", i.shape(0).brackets(), " [Op:",
              i.row.name, "]");
  i.output_shapes[0] = i.shape(0);
}
void adjusted_shape(Inference& i) {
  check_three_channels_or_invalid(i);
  infer::check_rank(i, 1, 0);
  i.output_shapes[0] = i.shape(0);
}
void contrast_shape(Inference& i) {
  if (i.shape(0).has_rank() && i.shape(0).rank() < 3)
    invalid("input must be at least 3-D, got shape ", i.shape(0).brackets(), " [Op:", i.row.name, "]");
  infer::check_rank(i, 1, 0);
  i.output_shapes[0] = i.shape(0);
}

void to_hsv_gradient(GradientCall& c) {
  c.input_gradients[0] = apply("RGBToHSVGrad"_op, {c.inputs[0], c.outputs[0], c.output_gradients[0]});
}

}  // namespace

FL_ROWS(image_colour) {
  constexpr const char* kFloats = "T: floats = float32";
  constexpr const char* kAdjusted = "T: float16|float32 = float32";
  return {
      {"RGBToHSV", "images: T -> output: T", kFloats, colour_shape, to_hsv_gradient, OpFamily::kElementwise,
       "colours as hue, saturation and value"},
      {"RGBToHSVGrad", "images: T, hsv: T, grads: T -> output: T", kFloats, gradient_shape, nullptr,
       OpFamily::kElementwise, "the gradient of RGBToHSV"},
      {"HSVToRGB", "images: T -> output: T", kFloats, colour_shape, nullptr, OpFamily::kElementwise,
       "colours from hue, saturation and value"},
      {"AdjustContrastv2", "images: T, contrast_factor: float32 -> output: T", kAdjusted, contrast_shape, nullptr,
       OpFamily::kElementwise, "the distance of each channel from its mean, multiplied"},
      {"AdjustHue", "images: T, delta: float32 -> output: T", kAdjusted, adjusted_shape, nullptr,
       OpFamily::kElementwise, "colours with the hue turned"},
      {"AdjustSaturation", "images: T, scale: float32 -> output: T", kAdjusted, adjusted_shape, nullptr,
       OpFamily::kElementwise, "colours with the saturation multiplied"},
  };
}

}  // namespace footlight
