// Public functions that draw from distributions with parameters, and that shuffle: stateless ones, ones with op seeds,
// and the parts of tf.random.Generator.
#include "engine/ops/composite/define.h"
#include "engine/ops/composite/random.h"
#include "engine/ops/random_seeds.h"

namespace footlight::composite {

namespace {

const AttrName kDType{"dtype"};

// Broadcasts x to its common shape with `other`.
Tensor as_wide_as(const Tensor& x, const Tensor& other) {
  if (x.shape().fully_known() && other.shape().fully_known() && other.elements() == 1 &&
      other.shape().rank() <= x.shape().rank())
    return x;
  return ops::add(x, ops::zeros_like(other));
}

// Returns drawn / beta, but at least the smallest normal number, because rounding could produce 0.
Tensor scaled_gamma(const Tensor& drawn, const Tensor& beta, const Scope& scope) {
  const DType type = drawn.dtype();
  const double tiny = type == DType::kFloat64   ? 2.2250738585072014e-308
                      : type == DType::kFloat16 ? 6.103515625e-05
                                                : 1.1754943508222875e-38;
  return ops::maximum(ops::number(tiny, type), ops::div(drawn, beta), scope.own_name());
}

DType float_dtype(const Arg& a) {
  const DType type = dtype(a);
  if (!is_floating(type)) fail(ErrorKind::kType, "a gamma distribution gives floats, not ", name_of(type));
  return type;
}

// Throws if a shape is not made of integers.
void check_integer_shape(const Arg& a) {
  const Tensor& t = tensor(a);
  if (!is_integer(t.dtype()) && t.shape() != Shape{0})
    fail(ErrorKind::kType, "a shape must consist of integers, got values of dtype ", name_of(t.dtype()));
}

Arg gamma(const Arg& dims, const Arg& alpha_given, const Arg& beta_given, const Arg& dtype, const Arg& op_seed,
          std::string_view name) {
  const Scope scope(name_or(name, "random_gamma"));
  const DType type = float_dtype(dtype);
  check_integer_shape(dims);
  const Tensor shape = drawn_shape(dims);
  const Tensor alpha = in_dtype_of_numbers(alpha_given, 1, type, "alpha");
  const Tensor beta = in_dtype_of_numbers(beta_given, 1, type, "beta");
  Attrs attrs;
  random::set_seeds(attrs, "RandomGamma"_op, seed(op_seed), type);
  return {scaled_gamma(apply("RandomGamma"_op, {shape, as_wide_as(alpha, beta)}, attrs), beta, scope)};
}

Arg stateless_gamma(const Arg& dims, const Tensor& seed, const Arg& alpha_given, const Arg& beta_given,
                    const Arg& dtype, std::string_view name) {
  const Scope scope(name_or(name, "stateless_random_gamma"));
  const DType type = float_dtype(dtype);
  const Tensor shape = drawn_shape(dims);
  const Tensor alpha = in_dtype_of_numbers(alpha_given, 1, type, "alpha");
  const Tensor beta = in_dtype_of_numbers(beta_given, 1, type, "beta");
  const RandomStream s = random_stream(seed);
  return {scaled_gamma(apply("StatelessRandomGammaV3"_op, {shape, s.key, s.counter, s.alg, as_wide_as(alpha, beta)}),
                       beta, scope)};
}

Arg poisson(const Arg& shape, const Tensor& lam, DType dtype, const Arg& op_seed, std::string_view name) {
  const Scope scope(name_or(name, "random_poisson"));
  Attrs attrs{{kDType, dtype}};
  check_integer_shape(shape);
  random::set_seeds(attrs, "RandomPoissonV2"_op, seed(op_seed), lam.dtype());
  return {apply("RandomPoissonV2"_op, {drawn_shape(shape), lam}, attrs)};
}

Arg stateless_poisson(const Arg& shape, const Tensor& seed, const Tensor& lam, DType dtype, std::string_view name) {
  const Scope scope(name_or(name, "stateless_random_poisson"));
  return {apply("StatelessRandomPoisson"_op, {drawn_shape(shape), seed, lam}, {{kDType, dtype}})};
}

Arg stateless_binomial(const Arg& shape, const Tensor& seed, const Tensor& counts_given, const Tensor& probs,
                       DType output_dtype, std::string_view name) {
  const Scope scope(name_or(name, "stateless_random_binomial"));
  Tensor counts = counts_given;
  if (counts.body()->python_number && !counts.is_symbolic()) counts = ops::cast(counts, probs.dtype()).as_constant();
  return {apply("StatelessRandomBinomial"_op, {drawn_shape(shape), seed, counts, probs},
                {{kDType, output_dtype}})};
}

Arg stateless_truncated(const Arg& dims, const Tensor& seed, const Tensor& means, const Tensor& stddevs,
                        const Tensor& minvals, const Tensor& maxvals, std::string_view name) {
  const Scope scope(name_or(name, "stateless_parameterized_truncated_normal"));
  const Tensor shape = drawn_shape(dims);
  return {apply("StatelessParameterizedTruncatedNormal"_op, {shape, seed, means, stddevs, minvals, maxvals})};
}

DType choice_dtype(const Arg& a) {
  const DType type = a.none() ? DType::kInt64 : dtype(a);
  if (type != DType::kInt32 && type != DType::kInt64)
    fail(ErrorKind::kValue, "Argument `dtype` got invalid value ", name_of(type), ": it is int32 or int64");
  return type;
}

const Tensor& sample_count(const Arg& a) {
  if (tensor(a).dtype() != DType::kInt32)
    fail(ErrorKind::kValue, "num_samples must be int32, its dtype is ", name_of(tensor(a).dtype()));
  return tensor(a);
}

Arg categorical(const Tensor& logits, const Arg& num_samples, const Arg& dtype, const Arg& op_seed,
                std::string_view name) {
  const Scope scope(name_or(name, "categorical"));
  Attrs attrs{{"output_dtype"_attr, choice_dtype(dtype)}};
  random::set_seeds(attrs, "Multinomial"_op, seed(op_seed), logits.dtype());
  return {apply("Multinomial"_op, {logits, sample_count(num_samples)}, attrs)};
}

Arg stateless_categorical(const Tensor& logits, const Arg& num_samples, const Tensor& seed, const Arg& dtype,
                          std::string_view name) {
  const Scope scope(name_or(name, "stateless_categorical"));
  return {apply("StatelessMultinomial"_op, {logits, sample_count(num_samples), seed},
                {{"output_dtype"_attr, choice_dtype(dtype)}})};
}

Arg shuffle(const Tensor& value, const Arg& op_seed, std::string_view name) {
  Attrs attrs;
  random::set_seeds(attrs, "RandomShuffle"_op, seed(op_seed), value.dtype());
  return {apply("RandomShuffle"_op, {value}, attrs, name)};
}

Arg stateless_shuffle(const Tensor& value, const Tensor& seed, const Arg& alg, std::string_view name) {
  const Scope scope(name_or(name, "stateless_shuffle"));
  const RandomStream s = random_stream(seed, alg);
  return {apply("StatelessShuffle"_op, {value, s.key, s.counter, s.alg})};
}

// Appends a third number to the seed, which is always the same.
Arg index_shuffle(const Tensor& index, const Tensor& seed, const Tensor& max_index, std::string_view) {
  const int rank = seed.shape().has_rank() ? seed.shape().rank() : 1;
  std::vector<int64_t> before(static_cast<size_t>(2 * rank), 0);
  if (rank > 0) before[0] = 1;
  const Tensor paddings = ops::ints(before).reshaped(Shape{rank, 2}).as_constant();
  const Tensor padded = apply("PadV2"_op, {seed, paddings, ops::number(498247692, seed.dtype())});
  return {apply("RandomIndexShuffle"_op, {index, padded, max_index})};
}

Arg random_index_shuffle(const Tensor& index, const Tensor& seed, const Tensor& max_index, int64_t rounds,
                         std::string_view name) {
  return {apply("RandomIndexShuffle"_op, {index, seed, max_index}, {{AttrName("rounds"), rounds}}, name)};
}

// The ops behind tf.random.Generator. A state is a counter (two numbers, one for Threefry) and a key.
Arg read_and_skip(const Tensor& handle, int64_t alg, const Tensor& delta, std::string_view) {
  return {apply("RngReadAndSkip"_op, {handle, ops::integer(alg), ops::cast(delta, DType::kUInt64)})};
}

Arg from_state(const Tensor& state_given, int64_t alg_given, int64_t which, const Tensor& shape, DType dtype,
               const Tensor& minval, const Tensor& maxval, std::string_view) {
  static const Op op_of[] = {Op("StatelessRandomUniformV2"), Op("StatelessRandomNormalV2"),
                             Op("StatelessTruncatedNormalV2"), Op("StatelessRandomUniformFullIntV2"),
                             Op("StatelessRandomUniformIntV2")};
  if (which < 0 || which > 4) invalid("there is no distribution ", which, ": 0 to 4 [Op:StatelessRandomUniformV2]");
  const Tensor state = ops::cast(state_given, DType::kUInt64);
  const int64_t alg = alg_given, counters = alg == 2 ? 1 : 2;
  const Tensor counter = ops::slice(state, ops::ints({0}), ops::ints({counters}));
  const Tensor key = ops::slice(state, ops::ints({counters}), ops::ints({1}));
  const Attrs attrs{{kDType, dtype}};
  if (which < 4) return {apply(op_of[which], {shape, key, counter, ops::integer(alg)}, attrs)};
  return {apply(op_of[which], {shape, key, counter, ops::integer(alg), minval, maxval})};
}

Arg stateful_binomial(const Tensor& handle, int64_t alg, const Tensor& shape, const Tensor& counts, const Tensor& probs,
                      DType dtype, std::string_view name) {
  return {apply("StatefulRandomBinomial"_op,
                {handle, ops::integer(alg, DType::kInt64), shape, counts,
                 probs},
                {{kDType, dtype}}, name)};
}

Arg non_deterministic(int64_t size, std::string_view) {
  return {apply("NonDeterministicInts"_op, {ops::ints({size}, DType::kInt64)}, {{kDType, DType::kInt64}})};
}

}  // namespace

FL_PUBLIC(random_distributions) {
  return {
      {"random.gamma compat.v1.random_gamma",
       "shape: tensor fits int32, alpha: tensor, beta: tensor? = None, dtype: dtype = float32, seed: any = None, "
       "name: str? = None",
       bind<gamma>, "numbers of gamma distributions"},
      {"random.stateless_gamma",
       "shape: tensor of int32, seed: tensor, alpha: tensor, beta: tensor? = None, dtype: dtype = float32, "
       "name: str? = None",
       bind<stateless_gamma>, "numbers of gamma distributions that follow from the seed"},
      {"random.poisson",
       "shape: tensor fits int32, lam: tensor of float32, dtype: dtype = float32, seed: any = None, "
       "name: str? = None",
       bind<poisson>,
       "numbers of Poisson distributions"},
      {"random.stateless_poisson",
       "shape: tensor of int32, seed: tensor, lam: tensor, dtype: dtype = int32, name: str? = None",
       bind<stateless_poisson>,
       "numbers of Poisson distributions that follow from the seed"},
      {"random.stateless_binomial",
       "shape: tensor of int32, seed: tensor, counts: tensor of float32, probs: tensor of float32, "
       "output_dtype: dtype = int32, name: str? = None",
       bind<stateless_binomial>, "numbers of binomial distributions that follow from the seed"},
      {"random.stateless_parameterized_truncated_normal",
       "shape: tensor of int32, seed: tensor, means: tensor = 0.0, stddevs: tensor = 1.0, minvals: tensor = -2.0, "
       "maxvals: tensor = 2.0, name: str? = None",
       bind<stateless_truncated>, "normal numbers between bounds that follow from the seed"},
      {"random.categorical",
       "logits: tensor, num_samples: tensor fits int32, dtype: dtype? = None, seed: any = None, name: str? = None",
       bind<categorical>, "classes by their logits"},
      {"random.stateless_categorical",
       "logits: tensor, num_samples: tensor fits int32, seed: tensor, dtype: dtype = int64, name: str? = None",
       bind<stateless_categorical>, "classes by their logits that follow from the seed"},
      {"random.shuffle random_shuffle compat.v1.random_shuffle",
       "value: tensor, seed: any = None, name: str? = None", bind<shuffle>, "the rows in another order"},
      {"random.experimental.stateless_shuffle",
       "value: tensor, seed: tensor, alg: any = 'auto_select', name: str? = None", bind<stateless_shuffle>,
       "the rows in an order that follows from the seed"},
      {"random.experimental.index_shuffle", "index: tensor, seed: tensor, max_index: tensor like index",
       bind<index_shuffle>,
       "the image of an index in a permutation determined by the seed"},
      {"random_index_shuffle",
       "index: tensor, seed: tensor, max_index: tensor like index, rounds: int = 4, name: str? = None",
       bind<random_index_shuffle>, "the image of an index in a permutation determined by three numbers"},
      {"_generator.read_and_skip", "handle: tensor, alg: int, delta: tensor", bind<read_and_skip>,
       "the state of a generator, which is advanced"},
      {"_generator.draw",
       "state: tensor, alg: int, which: int, shape: tensor, dtype: dtype, minval: tensor? = None, "
       "maxval: tensor? = None",
       bind<from_state>, "numbers from a state: uniform, normal, truncated, of a whole dtype, integers of a range"},
      {"_generator.binomial",
       "handle: tensor, alg: int, shape: tensor, counts: tensor, probs: tensor, dtype: dtype, name: str? = None",
       bind<stateful_binomial>, "numbers of binomial distributions"},
      {"_generator.non_deterministic", "size: int", bind<non_deterministic>, "a state from the operating system"},
  };
}

namespace {

Arg sampled(const Op& op, const Tensor& true_classes, Attrs attrs, const Arg& op_seed, std::string_view name) {
  random::set_seeds(attrs, op, seed(op_seed), DType::kInt64);
  const Tensor inputs[] = {true_classes};
  return {list_of(apply_all(op.row(), inputs, attrs, name))};
}

template <Literal op_name>
Arg sampler(const Tensor& true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max,
            const Arg& op_seed, std::string_view name) {
  return sampled(op_named<op_name>(), true_classes,
                 {{"num_true"_attr, num_true},
                  {"num_sampled"_attr, num_sampled},
                  {"unique"_attr, unique},
                  {"range_max"_attr, range_max}},
                 op_seed, name);
}

Arg all_classes(const Tensor& true_classes, int64_t num_true, int64_t num_sampled, bool unique, const Arg& op_seed,
                std::string_view name) {
  return sampled("AllCandidateSampler"_op, true_classes,
                 {{"num_true"_attr, num_true}, {"num_sampled"_attr, num_sampled}, {"unique"_attr, unique}}, op_seed,
                 name);
}

}  // namespace

FL_PUBLIC(candidate_samplers) {
  return {
      {"random.uniform_candidate_sampler",
       "true_classes: tensor of int64, num_true: int, num_sampled: int, unique: bool, range_max: int, "
       "seed: any = None, name: str? = None "
       "-> UniformCandidateSampler(sampled_candidates, true_expected_count, sampled_expected_count)",
       bind<sampler<"UniformCandidateSampler">>, "classes, all as likely, and how often each is to be expected"},
      {"random.log_uniform_candidate_sampler",
       "true_classes: tensor of int64, num_true: int, num_sampled: int, unique: bool, range_max: int, "
       "seed: any = None, name: str? = None "
       "-> LogUniformCandidateSampler(sampled_candidates, true_expected_count, sampled_expected_count)",
       bind<sampler<"LogUniformCandidateSampler">>,
       "classes, those with small numbers more likely, and how often each is to be expected"},
      {"random.all_candidate_sampler nn.all_candidate_sampler",
       "true_classes: tensor of int64, num_true: int, num_sampled: int, unique: bool, seed: any = None, "
       "name: str? = None -> AllCandidateSampler(sampled_candidates, true_expected_count, sampled_expected_count)",
       bind<all_classes>, "every class once"},
  };
}

}  // namespace footlight::composite
