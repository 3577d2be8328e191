// Rows of random ops whose numbers depend on their inputs alone: a key and a counter (made from a pair of seeds),
// or the seeds themselves.
#include "engine/ops/define.h"
#include "engine/ops/rows/random_shape.h"

namespace footlight {

namespace {

void check_input_shape(Inference& i, size_t input, int64_t size) {
  const Shape& s = i.shape(input);
  if (!s.has_rank()) return;
  if (s.rank() != 1 || (s[0] != kUnknownDim && s[0] != size))
    invalid(i.row.inputs[input].name, " must have shape [", size, "], not ", s.brackets(), " [Op:", i.row.name, "]");
}

void key_counter_shape(Inference& i) {
  check_input_shape(i, 0, 2);
  i.output_shapes[0] = Shape{1};
  i.output_shapes[1] = Shape{2};
  if (i.output_shapes.size() > 2) i.output_shapes[2] = Shape();
}

// The inputs key, counter, alg starting at `first`.
void check_stream(Inference& i, size_t first) {
  check_input_shape(i, first, 1);
  infer::check_rank(i, first + 1, 1);
  infer::check_rank(i, first + 2, 0);
  int64_t wanted = 1;
  if (const auto alg = infer::constant_ints(i, first + 2)) {
    if ((*alg)[0] < 1 || (*alg)[0] > 3)
      invalid("Unsupported algorithm id: ", (*alg)[0], ": 1 is Philox, 2 Threefry, 3 leaves the choice [Op:",
              i.row.name, "]");
    if ((*alg)[0] != 2) wanted = 2;
  }
  const Shape& counter = i.shape(first + 1);
  if (counter.has_rank() && counter[0] != kUnknownDim && counter[0] < wanted)
    invalid("counter must be a vector of at least ", wanted, " elements, its shape is ", counter.brackets(), " [Op:",
            i.row.name, "]");
}

void drawn_shape(Inference& i) {
  check_stream(i, 1);
  i.output_shapes[0] = infer::sizes_from(i, 0);
}

void whole_shape(Inference& i) {
  infer::check_bounds(i, 4, 5);
  drawn_shape(i);
}

constexpr char kDrawn[] = "shape: Tshape, key: uint64, counter: uint64, alg: int32 -> output: dtype";
constexpr char kFloats[] = "dtype: floats = float32; Tshape: index = int32";

}  // namespace

FL_ROWS(random_stateless) {
  constexpr RowsOf random_row{OpFamily::kRandom};
  const RowDef::Properties drawn{.dispatch = -1, .host_inputs = 63, .zero_gradient = true};
  return {
      random_row("StatelessRandomGetKeyCounter", "seed: Tseed -> key: uint64, counter: uint64", "Tseed: index = int64",
                 key_counter_shape, nullptr, "the key and the counter derived from a pair of seeds",
                 {.host_inputs = 1, .zero_gradient = true}),
      random_row("StatelessRandomGetKeyCounterAlg", "seed: Tseed -> key: uint64, counter: uint64, alg: int32",
                 "Tseed: index = int64", key_counter_shape, nullptr,
                 "the key, counter and algorithm derived from a pair of seeds",
                 {.host_inputs = 1, .zero_gradient = true}),
      random_row("StatelessRandomGetAlg", "-> alg: int32", "", infer::scalar, nullptr, "the algorithm of this device",
                 {.effect = Effect::kReads, .zero_gradient = true}),
      random_row("StatelessRandomUniformV2", kDrawn, kFloats, drawn_shape, nullptr,
                 "numbers evenly from [0, 1) that follow from key and counter", drawn),
      random_row("StatelessRandomNormalV2", kDrawn, kFloats, drawn_shape, nullptr,
                 "numbers of the standard normal distribution that follow from key and counter", drawn),
      random_row("StatelessTruncatedNormalV2", kDrawn, kFloats, drawn_shape, nullptr,
                 "standard normal numbers within two deviations that follow from key and counter", drawn),
      random_row(
          "StatelessRandomUniformIntV2",
          "shape: Tshape, key: uint64, counter: uint64, alg: int32, minval: dtype, maxval: dtype -> output: dtype",
          "dtype: int32|int64|uint32|uint64; Tshape: index = int32", whole_shape, nullptr,
          "integers evenly from [minval, maxval) that follow from key and counter", drawn),
      random_row("StatelessRandomUniformFullIntV2", kDrawn,
                 "dtype: int32|int64|uint32|uint64 = uint64; Tshape: index = int32", drawn_shape, nullptr,
                 "integers evenly from all of the dtype that follow from key and counter", drawn),
  };
}

}  // namespace footlight
