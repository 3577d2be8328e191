// Rows of ops that only graphs written by TensorFlow contain: uninitialized memory, the truth of a tensor as in Python,
// buckets of numbers, scripts of characters.
#include "engine/ops/define.h"

#include <algorithm>

namespace footlight {
namespace {

void bucketize_shape(Inference& i) {
  const auto boundaries = i.attrs.get_or("boundaries"_attr, std::vector<float>());
  if (!std::ranges::is_sorted(boundaries)) invalid("Expected sorted boundaries [Op:Bucketize]");
  i.output_shapes[0] = i.shape(0);
}

void empty_shape(Inference& i) { i.output_shapes[0] = infer::shape_from(i, 0); }

}  // namespace

FL_ROWS(foreign) {
  constexpr RowsOf elementwise_row{OpFamily::kElementwise}, constant_row{OpFamily::kConstant}, io_row{OpFamily::kIo};
  return {
      elementwise_row("Bucketize", "input: T -> output: int32",
                      "T: int32|int64|float32|float64; boundaries: list(float)", bucketize_shape, nullptr,
                      "how many of the boundaries are not above each number",
                      {.zero_gradient = true, .flops = flops::none}),
      constant_row("Empty", "shape: int32 -> output: dtype", "dtype: any; init: bool = false", empty_shape, nullptr,
                   "a tensor whose values do not matter: zeros here",
                   {.effect = Effect::kOther, .dispatch = -1, .host_inputs = 1, .zero_gradient = true}),
      elementwise_row("ToBool", "input: T -> output: bool", "T: any", infer::scalar, nullptr,
                      "whether a scalar is not zero or empty; whether any other tensor has elements",
                      {.host_inputs = 1, .zero_gradient = true, .host_only = true, .flops = flops::none}),
      io_row("UnicodeScript", "input: int32 -> output: int32", "", infer::same, nullptr,
             "the number of each character's script", {.zero_gradient = true, .host_only = true}),
  };
}

}  // namespace footlight
