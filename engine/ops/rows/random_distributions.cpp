// Rows of random ops with parameters: gamma, Poisson, binomial, truncated normal, categorical; of shuffles, and of
// generator states.
#include "engine/base/text.h"
#include "engine/ops/define.h"
#include "engine/ops/rows/random_shape.h"
#include "engine/ops/functions.h"
#include "engine/tensor/variable.h"

namespace footlight {

namespace {

void check_seed_input(Inference& i, size_t input) {
  const Shape& s = i.shape(input);
  if (s.has_rank() && (s.rank() != 1 || (s[0] != kUnknownDim && s[0] != 2)))
    invalid("seed must have shape [2], not ", s.brackets(), " [Op:", i.row.name, "]");
}

// For ops whose shape input gives all dimensions: those of the parameters, inputs first to last, are the trailing ones.
void whole_shape(Inference& i, size_t first, size_t last) {
  const Shape out = infer::sizes_from(i, 0);
  i.output_shapes[0] = out;
  if (!out.has_rank()) return;
  for (size_t k = first; k <= last; ++k) {
    const Shape& p = i.shape(k);
    if (!p.has_rank()) continue;
    bool ends = p.rank() <= out.rank();
    for (int d = 1; ends && d <= p.rank(); ++d) {
      const int64_t a = p[p.rank() - d], b = out[out.rank() - d];
      ends = a == b || a == kUnknownDim || b == kUnknownDim || (first != last && a == 1);
    }
    if (!ends)
      invalid("Shape passed in must end with broadcasted shape: ", i.row.inputs[k].name, " has shape ", p.brackets(),
              ", shape is ", out.brackets(), " [Op:", i.row.name, "]");
  }
}

// For ops whose shape input gives the samples per parameter: its dimensions come before those of the parameters.
void per_parameter_shape(Inference& i) {
  const Shape samples = infer::sizes_from(i, 0);
  const Shape& p = i.shape(1);
  if (!samples.has_rank() || !p.has_rank()) return infer::unknown(i);
  Shape out = samples;
  for (int d = 0; d < p.rank(); ++d) out.append(p[d]);
  i.output_shapes[0] = out;
}

void gamma_v2_shape(Inference& i) {
  check_seed_input(i, 1);
  whole_shape(i, 2, 2);
}
void gamma_v3_shape(Inference& i) { whole_shape(i, 4, 4); }
void poisson_shape(Inference& i) {
  check_seed_input(i, 1);
  whole_shape(i, 2, 2);
}
void binomial_shape(Inference& i) {
  check_seed_input(i, 1);
  whole_shape(i, 2, 3);
}
void truncated_shape(Inference& i) {
  check_seed_input(i, 1);
  whole_shape(i, 2, 5);
}
void drawn_truncated_shape(Inference& i) { whole_shape(i, 1, 4); }
void stateful_binomial_shape(Inference& i) {
  const Shape shape = infer::sizes_from(i, 2), each = broadcast(i.shape(3), i.shape(4));
  if (shape.fully_known() && each.fully_known()) {
    bool ends = each.rank() <= shape.rank();
    for (int d = 1; ends && d <= each.rank(); ++d) ends = shape[shape.rank() - d] == each[each.rank() - d];
    if (!ends)
      invalid("Shape passed in must end with broadcasted shape: counts and probs have ", each.brackets(), ", shape is ",
              shape.brackets(), " [Op:", i.row.name, "]");
  }
  i.output_shapes[0] = shape;
}

void stateful_shape(Inference& i) { i.output_shapes[0] = infer::sizes_from(i, 2); }
void stateful_int_shape(Inference& i) {
  infer::check_bounds(i, 3, 4);
  stateful_shape(i);
}

// Ops that draw from a generator's variable in one step; tf.random.Generator reads and skips first, then draws.
RowDef from_variable(const char* name, bool whole, const char* doc) {
  return {name,
          "resource: resource, algorithm: int64, shape: shape_dtype -> output: dtype",
          whole ? "dtype: int32|int64|uint32|uint64 = uint64; shape_dtype: index = int64"
                : "dtype: floats = float32; shape_dtype: index = int64",
          stateful_shape,
          nullptr,
          OpFamily::kRandom,
          doc,
          {.effect = Effect::kWrites, .dispatch = -1, .host_inputs = 6, .zero_gradient = true}};
}

void categorical_shape(Inference& i) {
  const Shape& logits = i.shape(0);
  if (logits.has_rank() && logits.rank() != 2)
    invalid("logits should be a matrix, got shape ", logits.brackets(), " [Op:", i.row.name, "]");
  infer::check_rank(i, 1, 0);
  if (i.inputs.size() > 2) check_seed_input(i, 2);
  const auto samples = infer::constant_ints(i, 1);
  if (samples && (*samples)[0] < 0)
    invalid("num_samples should be non-negative, got ", (*samples)[0], " [Op:", i.row.name, "]");
  if (logits.has_rank() && logits[1] == 0) invalid("num_classes should be positive, got 0 [Op:", i.row.name, "]");
  i.output_shapes[0] =
      Shape{logits.has_rank() ? logits[0] : kUnknownDim, samples ? (*samples)[0] : kUnknownDim};
}

void index_shape(Inference& i) {
  const Shape &index = i.shape(0), &seed = i.shape(1), &max = i.shape(2);
  if ((index.has_rank() && index.rank() > 1) || (max.has_rank() && max.rank() > 1))
    invalid("index and max_index must be scalars or vectors, their shapes are ", index.brackets(), " and ",
            max.brackets(), " [Op:", i.row.name, "]");
  if (seed.has_rank() && (seed.rank() < 1 || seed.rank() > 2 ||
                          (seed[seed.rank() - 1] != kUnknownDim && seed[seed.rank() - 1] != 3)))
    invalid("seed must be a vector of size [3] or a matrix of size [n, 3], its shape is ", seed.brackets(), " [Op:",
            i.row.name, "]");
  int64_t size = kUnknownDim;
  bool vector = false;
  bool known = true;
  const auto join = [&](const Shape& s, int rank) {
    if (!s.has_rank()) known = false;
    else if (s.rank() == rank) {
      vector = true;
      if (size != kUnknownDim && s[0] != kUnknownDim && s[0] != size)
        invalid("index, seed and max_index have different lengths: ", size, " and ", s[0], " [Op:", i.row.name, "]");
      if (s[0] != kUnknownDim) size = s[0];
    }
  };
  join(index, 1);
  join(seed, 2);
  join(max, 1);
  i.output_shapes[0] = vector ? Shape{size} : known ? Shape() : Shape::unknown_rank();
}

void state_shape(Inference& i) {
  const Variable* v = variable_of(i.inputs[0]);
  i.output_shapes[0] = v ? v->shape() : Shape{kUnknownDim};
}

void shape_of_input(Inference& i) { i.output_shapes[0] = infer::sizes_from(i, 0); }

// The derivative of a sample by alpha, by implicit differentiation.
Tensor gamma_slope(GradientCall& c, size_t alpha) {
  const Tensor& a = c.inputs[alpha];
  const Tensor partial = apply("RandomGammaGrad"_op, {a, c.outputs[0]});
  return ops::sum_to_shape_of(ops::mul(c.output_gradients[0], partial), a);
}
void gamma_gradient(GradientCall& c) { c.input_gradients[1] = gamma_slope(c, 1); }
void gamma_v2_gradient(GradientCall& c) { c.input_gradients[2] = gamma_slope(c, 2); }
void gamma_v3_gradient(GradientCall& c) { c.input_gradients[4] = gamma_slope(c, 4); }

}  // namespace

FL_ROWS(random_distributions) {
  const RowDef::Properties drawn{.effect = Effect::kOther, .dispatch = 1, .host_inputs = 1, .zero_gradient = true};
  const auto on = [](int8_t dispatch, bool zero = true, Effect effect = Effect::kNone) {
    return RowDef::Properties{.effect = effect, .dispatch = dispatch, .host_inputs = 31, .zero_gradient = zero};
  };
  return {
      {"RandomGamma", "shape: S, alpha: T -> output: T", "seed: int = 0; seed2: int = 0; S: index; T: floats",
       per_parameter_shape, gamma_gradient, OpFamily::kRandom, "numbers of gamma distributions, those of alpha",
       RowDef::Properties{.effect = Effect::kOther, .dispatch = 1, .host_inputs = 1}},
      {"StatelessRandomGammaV2", "shape: T, seed: Tseed, alpha: dtype -> output: dtype",
       "dtype: floats; T: index = int32; Tseed: index = int64", gamma_v2_shape, gamma_v2_gradient, OpFamily::kRandom,
       "numbers of gamma distributions that follow from the seed", on(2, false)},
      {"StatelessRandomGammaV3",
       "shape: shape_dtype, key: uint64, counter: uint64, alg: int32, alpha: dtype -> output: dtype",
       "dtype: floats; shape_dtype: index = int32", gamma_v3_shape, gamma_v3_gradient, OpFamily::kRandom,
       "numbers of gamma distributions that follow from key and counter", on(4, false)},
      {"RandomGammaGrad", "alpha: T, sample: T -> output: T", "T: floats", infer::broadcast, nullptr,
       OpFamily::kElementwise, "how a sample of a gamma distribution moves with alpha"},
      {"RandomPoissonV2", "shape: S, rate: R -> output: dtype",
       "seed: int = 0; seed2: int = 0; S: index; R: floats|int32|int64 = float64; dtype: floats|int32|int64 = int64",
       per_parameter_shape, nullptr, OpFamily::kRandom, "numbers of Poisson distributions", drawn},
      {"StatelessRandomPoisson", "shape: T, seed: Tseed, lam: Rtype -> output: dtype",
       "Rtype: floats|int32|int64; dtype: floats|int32|int64; T: index; Tseed: index = int64", poisson_shape, nullptr,
       OpFamily::kRandom, "numbers of Poisson distributions that follow from the seed", on(2)},
      {"StatelessRandomBinomial", "shape: S, seed: Tseed, counts: T, probs: T -> output: dtype",
       "S: index; Tseed: index = int64; T: floats|int32|int64 = float64; dtype: floats|int32|int64 = int64",
       binomial_shape, nullptr, OpFamily::kRandom, "numbers of binomial distributions that follow from the seed",
       on(2)},
      {"StatefulRandomBinomial", "resource: resource, algorithm: int64, shape: S, counts: T, probs: T -> output: dtype",
       "S: index; T: floats|int32|int64 = float64; dtype: floats|int32|int64 = int64", stateful_binomial_shape, nullptr,
       OpFamily::kRandom, "numbers of binomial distributions, from a generator's state",
       RowDef::Properties{.effect = Effect::kWrites, .dispatch = 3, .host_inputs = 30, .zero_gradient = true}},
      {"StatelessParameterizedTruncatedNormal",
       "shape: S, seed: Tseed, means: dtype, stddevs: dtype, minvals: dtype, maxvals: dtype -> output: dtype",
       "S: index; Tseed: index = int64; dtype: float16|float32|float64", truncated_shape, nullptr, OpFamily::kRandom,
       "normal numbers between bounds that follow from the seed",
       RowDef::Properties{.dispatch = 2, .host_inputs = 63, .zero_gradient = true}},
      {"ParameterizedTruncatedNormal",
       "shape: T, means: dtype, stdevs: dtype, minvals: dtype, maxvals: dtype -> output: dtype",
       "seed: int = 0; seed2: int = 0; dtype: floats; T: index", drawn_truncated_shape, nullptr, OpFamily::kRandom,
       "normal numbers between bounds", on(1, true, Effect::kOther)},
      {"Multinomial", "logits: T, num_samples: int32 -> output: output_dtype",
       "seed: int = 0; seed2: int = 0; T: real; output_dtype: index = int64", categorical_shape, nullptr,
       OpFamily::kRandom, "classes by their logits",
       RowDef::Properties{.effect = Effect::kOther, .host_inputs = 2, .zero_gradient = true}},
      {"StatelessMultinomial", "logits: T, num_samples: int32, seed: Tseed -> output: output_dtype",
       "T: real; Tseed: index = int64; output_dtype: index = int64", categorical_shape, nullptr, OpFamily::kRandom,
       "classes by their logits that follow from the seed",
       RowDef::Properties{.host_inputs = 6, .zero_gradient = true}},
      {"RandomShuffle", "value: T -> output: T", "seed: int = 0; seed2: int = 0; T: any", infer::same, nullptr,
       OpFamily::kRandom, "the rows in another order", RowDef::Properties{.effect = Effect::kOther}},
      {"StatelessShuffle", "value: T, key: uint64, counter: uint64, alg: int32 -> output: T", "T: any", infer::same,
       nullptr, OpFamily::kRandom, "the rows in an order that follows from key and counter",
       RowDef::Properties{.host_inputs = 14}},
      {"RandomIndexShuffle", "index: dtype, seed: Tseed, max_index: dtype -> output: dtype",
       "rounds: int = 4; dtype: int32|int64|uint32|uint64; Tseed: int32|int64|uint32|uint64", index_shape, nullptr,
       OpFamily::kRandom, "the image of an index in a permutation determined by the seed",
       RowDef::Properties{.host_inputs = 7, .zero_gradient = true}},
      {"RngReadAndSkip", "resource: resource, alg: int32, delta: uint64 -> value: int64", "", state_shape, nullptr,
       OpFamily::kRandom, "the state of a generator, which is advanced",
       RowDef::Properties{.effect = Effect::kWrites, .host_inputs = 6, .zero_gradient = true}},
      {"RngSkip", "resource: resource, algorithm: int64, delta: int64 ->", "", infer::none, nullptr, OpFamily::kRandom,
       "moves a generator's state on", RowDef::Properties{.effect = Effect::kWrites, .host_inputs = 6}},
      from_variable("StatefulUniform", false, "numbers evenly from [0, 1), from a generator's state"),
      from_variable("StatefulStandardNormalV2", false, "standard normal numbers, from a generator's state"),
      from_variable("StatefulTruncatedNormal", false,
                    "standard normal numbers within two deviations, from a generator's state"),
      from_variable("StatefulUniformFullInt", true, "integers evenly from all of the dtype, from a generator's state"),
      {"StatefulUniformInt",
       "resource: resource, algorithm: int64, shape: shape_dtype, minval: dtype, maxval: dtype -> output: dtype",
       "dtype: int32|int64|uint32|uint64 = int64; shape_dtype: index = int64", stateful_int_shape, nullptr,
       OpFamily::kRandom, "integers evenly from [minval, maxval), from a generator's state",
       RowDef::Properties{.effect = Effect::kWrites, .dispatch = -1, .host_inputs = 30, .zero_gradient = true}},
      {"NonDeterministicInts", "shape: shape_dtype -> output: dtype",
       "dtype: integers = int64; shape_dtype: index = int64", shape_of_input, nullptr, OpFamily::kRandom,
       "integers from the operating system",
       RowDef::Properties{.effect = Effect::kOther, .dispatch = -1, .host_inputs = 1, .zero_gradient = true}},
  };
}

namespace {

void sampled_shapes(Inference& i) {
  const Shape& classes = i.shape(0);
  const int64_t each = i.attrs.get<int64_t>("num_true"_attr), count = i.attrs.get<int64_t>("num_sampled"_attr);
  if (each < 1 || count < 1) invalid("num_true and num_sampled must be positive [Op:", i.row.name, "]");
  if (classes.has_rank() && classes.rank() != 2) invalid("true_classes must be a matrix [Op:", i.row.name, "]");
  if (classes.has_rank() && classes[1] >= 0 && classes[1] != each)
    invalid("true_classes must have num_true columns, expected: ", each, " was: ", classes[1], " [Op:",
            i.row.name, "]");
  i.output_shapes[0] = i.output_shapes[2] = Shape{count};
  i.output_shapes[1] = classes.has_rank() ? Shape{classes[0], each} : Shape{kUnknownDim, each};
}

RowDef sampler(const char* name, const char* attrs, const char* doc) {
  return {name, "true_classes: int64 -> sampled_candidates: int64, true_expected_count: float32, "
                "sampled_expected_count: float32",
          attrs, sampled_shapes, nullptr, OpFamily::kRandom, doc,
          {.effect = Effect::kOther, .dispatch = -1, .zero_gradient = true}};
}

constexpr char kRanged[] =
    "num_true: int; num_sampled: int; unique: bool; range_max: int; seed: int = 0; seed2: int = 0";

}  // namespace

FL_ROWS(candidate_samplers) {
  return {
      sampler("UniformCandidateSampler", kRanged, "classes, all as likely, and how often each is to be expected"),
      sampler("LogUniformCandidateSampler", kRanged,
              "classes, those with small numbers more likely, and how often each is to be expected"),
      sampler("AllCandidateSampler", "num_true: int; num_sampled: int; unique: bool; seed: int = 0; seed2: int = 0",
              "every class once"),
  };
}

}  // namespace footlight
