// Rows that check a program while it runs: assertions, NaN checks, timestamps.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"

namespace footlight {

namespace {

void assert_shape(Inference& i) { infer::check_rank(i, 0, 0); }

// The gradient is checked as well.
void check_gradient(GradientCall& c) {
  c.input_gradients[0] =
      apply(c.row, {&c.output_gradients[0], 1},
            {{"message"_attr, "Not a number (NaN) or infinity (Inf) values detected in gradient. " +
                            c.attrs.get_or("message"_attr, std::string())}});
}

}  // namespace

FL_ROWS(debug) {
  return {
      {"Assert", "condition: bool, data: T[] ->", "T: list(type); summarize: int = 3", assert_shape, nullptr,
       OpFamily::kControl, "fails with `data` when the condition is false",
       {.effect = Effect::kOther, .host_inputs = ~0u, .host_only = true}},
      {"CheckNumerics", "tensor: T -> output: T", "T: floats; message: string", infer::same, check_gradient,
       OpFamily::kControl, "the tensor; fails when an element is NaN or infinite",
       {.effect = Effect::kOther, .alias = Alias::kShares}},
      {"CheckNumericsV2", "tensor: T -> output: T", "T: floats; message: string", infer::same, check_gradient,
       OpFamily::kControl, "the tensor; fails when an element is NaN or infinite, and says which",
       {.effect = Effect::kOther, .alias = Alias::kShares}},
      {"Timestamp", "-> ts: float64", "", infer::scalar, nullptr, OpFamily::kConstant, "seconds since 1970",
       {.effect = Effect::kReads, .zero_gradient = true}},
  };
}

}  // namespace footlight
