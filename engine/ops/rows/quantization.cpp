// Rows that round numbers as if they were kept in a few bits.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"

namespace footlight {
namespace {

void check_bits(Inference& i) {
  const int64_t bits = i.attrs.get_or("num_bits"_attr, int64_t{8});
  if (bits < 2 || bits > 16)
    invalid("num_bits must be between 2 and 16, inclusive, it is ", bits, " [Op:", i.row.name, "]");
}

// Checks that the inputs from `first` on are scalars, or have one number for each channel.
void check_ranges(Inference& i, size_t first, bool per_channel) {
  check_bits(i);
  for (size_t k = first; k < i.inputs.size(); ++k) {
    infer::check_rank(i, k, per_channel ? 1 : 0);
    const Shape& numbers = i.shape(0);
    if (!per_channel || !numbers.has_rank() || !i.shape(k).has_rank()) continue;
    if (numbers.rank() < 1) invalid("input must have rank at least 1 [Op:", i.row.name, "]");
    const int64_t depth = numbers[numbers.rank() - 1], given = i.shape(k)[0];
    if (depth >= 0 && given >= 0 && depth != given)
      invalid(i.row.inputs[k].name, " has incorrect size, expected ", depth, " was ", given, " [Op:", i.row.name, "]");
  }
}

void fixed_shape(Inference& i) {
  check_bits(i);
  const float min = i.attrs.get_or("min"_attr, -6.f), max = i.attrs.get_or("max"_attr, 6.f);
  if (!(min < max)) invalid("min has to be smaller than max, was: ", min, " >= ", max, " [Op:", i.row.name, "]");
  if (i.inputs.size() == 2 && !compatible(i.shape(0), i.shape(1)))
    invalid("gradient and input must be the same size [Op:", i.row.name, "]");
  i.output_shapes[0] = i.shape(0);
}
template <bool per_channel>
void given_shape(Inference& i) {
  check_ranges(i, 1, per_channel);
  i.output_shapes[0] = i.shape(0);
}
template <bool per_channel>
void given_gradient_shape(Inference& i) {
  check_ranges(i, 2, per_channel);
  if (!compatible(i.shape(0), i.shape(1)))
    invalid("gradient and input must be the same size [Op:", i.row.name, "]");
  i.output_shapes[0] = i.shape(0);
  for (size_t k = 1; k < 3; ++k) i.output_shapes[k] = per_channel ? i.shape(k + 1) : Shape{};
}

void fixed_gradient(GradientCall& c) {
  c.input_gradients[0] = apply("FakeQuantWithMinMaxArgsGradient"_op, {c.output_gradients[0], c.inputs[0]}, c.attrs);
}
template <bool per_channel>
void given_gradient(GradientCall& c) {
  static const Op op{per_channel ? "FakeQuantWithMinMaxVarsPerChannelGradient" : "FakeQuantWithMinMaxVarsGradient"};
  const Tensor inputs[] = {c.output_gradients[0], c.inputs[0], c.inputs[1], c.inputs[2]};
  const std::vector<Tensor> made = apply_all(op.row(), inputs, c.attrs);
  for (size_t k = 0; k < 3; ++k) c.input_gradients[k] = made[k];
}

}  // namespace

FL_ROWS(quantization) {
  constexpr const char* kFixed =
      "min: float = -6; max: float = 6; num_bits: int = 8; narrow_range: bool = false";
  constexpr const char* kGiven = "num_bits: int = 8; narrow_range: bool = false";
  constexpr const char* kForward = "inputs: float32, min: float32, max: float32 -> outputs: float32";
  constexpr const char* kBack =
      "gradients: float32, inputs: float32, min: float32, max: float32 -> backprops_wrt_input: float32, "
      "backprop_wrt_min: float32, backprop_wrt_max: float32";
  return {
      {"FakeQuantWithMinMaxArgs", "inputs: float32 -> outputs: float32", kFixed, fixed_shape, fixed_gradient,
       OpFamily::kElementwise, "numbers rounded to the steps of a range"},
      {"FakeQuantWithMinMaxArgsGradient", "gradients: float32, inputs: float32 -> backprops: float32", kFixed,
       fixed_shape, nullptr, OpFamily::kElementwise, "the gradient of FakeQuantWithMinMaxArgs"},
      {"FakeQuantWithMinMaxVars", kForward, kGiven, given_shape<false>, given_gradient<false>, OpFamily::kElementwise,
       "numbers rounded to the steps of a range that is an input"},
      {"FakeQuantWithMinMaxVarsGradient", kBack, kGiven, given_gradient_shape<false>, nullptr, OpFamily::kElementwise,
       "the gradient of FakeQuantWithMinMaxVars"},
      {"FakeQuantWithMinMaxVarsPerChannel", kForward, kGiven, given_shape<true>, given_gradient<true>,
       OpFamily::kElementwise, "numbers rounded to the steps of a range for each channel"},
      {"FakeQuantWithMinMaxVarsPerChannelGradient", kBack, kGiven, given_gradient_shape<true>, nullptr,
       OpFamily::kElementwise, "the gradient of FakeQuantWithMinMaxVarsPerChannel"},
  };
}

}  // namespace footlight
