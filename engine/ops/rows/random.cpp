// Rows of ops that draw random numbers. Besides the attributes of the row each application carries `_state`, a
// RandomState with its position in the stream: the composites supply it, so that an op of a graph continues
// from call to call.
#include "engine/ops/define.h"
#include "engine/ops/rows/random_shape.h"

namespace footlight {

namespace {

void shape_of_input(Inference& i) { i.output_shapes[0] = infer::sizes_from(i, 0); }

void int_shape(Inference& i) {
  infer::check_bounds(i, 1, 2);
  shape_of_input(i);
}

constexpr char kDrawn[] = "shape: T -> output: dtype";
constexpr char kSeeded[] = "seed: int = 0; seed2: int = 0; dtype: floats = float32; T: index = int32";

}  // namespace

FL_ROWS(random) {
  const RowDef::Properties drawn{.effect = Effect::kOther, .dispatch = -1, .host_inputs = 1, .zero_gradient = true};
  return {
      {"RandomUniform", kDrawn, kSeeded, shape_of_input, nullptr, OpFamily::kRandom,
       "numbers evenly from [0, 1)", drawn},
      {"RandomStandardNormal", kDrawn, kSeeded, shape_of_input, nullptr, OpFamily::kRandom,
       "numbers of the standard normal distribution", drawn},
      {"TruncatedNormal", kDrawn, kSeeded, shape_of_input, nullptr, OpFamily::kRandom,
       "numbers of the standard normal distribution, drawn again beyond two deviations", drawn},
      {"RandomUniformInt",
       "shape: T, minval: Tout, maxval: Tout -> output: Tout",
       "seed: int = 0; seed2: int = 0; Tout: index = int32; T: index = int32",
       int_shape,
       nullptr,
       OpFamily::kRandom,
       "integers evenly from [minval, maxval)",
       {.effect = Effect::kOther, .dispatch = -1, .host_inputs = 7, .zero_gradient = true}},
  };
}

}  // namespace footlight
