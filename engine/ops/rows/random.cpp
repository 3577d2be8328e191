// Rows of ops that draw random numbers. Beside the attributes of the row each application carries `_state`, a
// RandomState that says where it stands in its stream: the composites give it, so that an op of a graph goes
// on from call to call.
#include "engine/ops/define.h"
#include "engine/ops/rows/random_shape.h"

namespace footlight {

namespace {

void shape_of_input(Inference& i) { i.output_shapes[0] = infer::sizes_from(i, 0); }

void int_shape(Inference& i) {
  for (size_t k = 1; k < 3; ++k) infer::want_rank(i, k, 0);
  const Tensor low = i.constant(1);
  const Tensor high = i.constant(2);
  if (low && high) {
    const int64_t from = infer::ints_of(low)[0];
    const int64_t to = infer::ints_of(high)[0];
    if (from >= to) invalid("Need minval < maxval, got ", from, " >= ", to, " [Op:RandomUniformInt]");
  }
  shape_of_input(i);
}

constexpr char kDrawn[] = "shape: T -> output: dtype";
constexpr char kSeeded[] = "seed: int = 0; seed2: int = 0; dtype: floats = float32; T: index = int32";

}  // namespace

FL_ROWS(random) {
  const RowDef::More drawn{.stateful = true, .dispatch = -1, .host_inputs = 1, .zero_gradient = true};
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
       {.stateful = true, .dispatch = -1, .host_inputs = 7, .zero_gradient = true}},
  };
}

}  // namespace footlight
