// Public functions that draw random numbers determined by a seed passed with each call.
#include "engine/ops/composite/define.h"
#include "engine/ops/composite/random.h"
#include "engine/ops/composite/scalar.h"

namespace footlight::composite {

namespace {

enum Algorithm : int64_t { kPhilox = 1, kThreefry = 2, kAutoSelect = 3 };

int64_t algorithm(const Arg& a) {
  if (a.none()) return kAutoSelect;
  if (const auto* number = std::get_if<int64_t>(&a.value)) {
    if (*number >= kPhilox && *number <= kAutoSelect) return *number;
    fail(ErrorKind::kValue, "Argument `alg` got unsupported value ", *number,
         ": 1 is Philox, 2 Threefry, 3 leaves the choice");
  }
  const auto* word = std::get_if<std::string>(&a.value);
  if (!word)
    fail(ErrorKind::kType, "Can't convert argument `alg` to an algorithm: give 'philox', 'threefry', 'auto_select' or "
                           "a tf.random.Algorithm");
  std::string plain;
  for (const char c : *word)
    if (c != '-' && c != '_' && c != ' ') plain += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  if (plain == "philox") return kPhilox;
  if (plain == "threefry") return kThreefry;
  if (plain == "autoselect") return kAutoSelect;
  fail(ErrorKind::kValue, "Argument `alg` got unsupported value ", *word,
       ": it is philox, threefry or auto_select");
}

// seed[0] | seed[1] << 32, of the words' lower halves.
Tensor threefry_key(const Tensor& seed) {
  Tensor places = Tensor::empty(DType::kUInt64, Shape{2});
  places.data<uint64_t>()[0] = 1;
  places.data<uint64_t>()[1] = uint64_t{1} << 32;
  const Tensor words = ops::cast(ops::cast(seed, DType::kUInt32), DType::kUInt64);
  return ops::sum(ops::mul(words, places.as_constant()), ops::ints({0}), true);
}

Tensor drawn(const Op& op, const Tensor& shape, const RandomStream& s, DType dtype, std::string_view name = {}) {
  return apply(op, {shape, s.key, s.counter, s.alg}, {{"dtype"_attr, dtype}}, name);
}

Arg uniform(const Arg& dims, const Tensor& seed, const Arg& minval, const Arg& maxval, DType type, const Arg& alg,
            std::string_view name) {
  const bool integers = is_integer(type);
  if (!is_floating(type) && !in_set(type, dtype_set(DType::kInt32, DType::kInt64, DType::kUInt32, DType::kUInt64)))
    fail(ErrorKind::kValue, "Argument `dtype` got invalid value ", name_of(type),
         ": it is a float, int32, int64, uint32 or uint64");
  if (integers && minval.none() != maxval.none())
    fail(ErrorKind::kValue, "For integer `dtype` argument ", name_of(type),
         ", `minval` and `maxval` must be both None or not None");
  if (!integers && minval.none()) fail(ErrorKind::kValue, "minval must be given for ", name_of(type));
  if (integers && !minval.none() && !in_set(type, kSignedTypes))
    fail(ErrorKind::kValue, "`dtype` ", name_of(type), " is only for the full range: give `minval` and `maxval` None");
  const Scope scope(name_or(name, "stateless_random_uniform"));
  const Tensor shape = drawn_shape(dims);
  if (integers && minval.none())
    return {drawn("StatelessRandomUniformFullIntV2"_op, shape, random_stream(seed, alg), type, scope.own_name())};
  const Tensor low = in_dtype_of_numbers(minval, 0, type, "minval");
  const Tensor high = in_dtype_of_numbers(maxval, 1, type, "maxval");
  const RandomStream s = random_stream(seed, alg);
  if (integers)
    return {apply("StatelessRandomUniformIntV2"_op, {shape, s.key, s.counter, s.alg, low, high}, {}, scope.own_name())};
  return {scale_and_shift(drawn("StatelessRandomUniformV2"_op, shape, s, type), ops::sub(high, low), low, scope)};
}

Tensor scaled(const Op& op, const Arg& dims, const Tensor& seed, const Arg& mean_given, const Arg& stddev, DType type,
              const Arg& alg, const Scope& scope) {
  if (!is_floating(type)) fail(ErrorKind::kType, "normal numbers are floats, not ", name_of(type));
  const Tensor shape = drawn_shape(dims);
  const Tensor mean = in_dtype_of_numbers(mean_given, 0, type, "mean");
  const Tensor deviation = in_dtype_of_numbers(stddev, 1, type, "stddev");
  return scale_and_shift(drawn(op, shape, random_stream(seed, alg), type), deviation, mean, scope);
}
Arg normal(const Arg& dims, const Tensor& seed, const Arg& mean, const Arg& stddev, DType type, const Arg& alg,
           std::string_view name) {
  const Scope scope(name_or(name, "stateless_random_normal"));
  return {scaled("StatelessRandomNormalV2"_op, dims, seed, mean, stddev, type, alg, scope)};
}
Arg truncated_normal(const Arg& dims, const Tensor& seed, const Arg& mean, const Arg& stddev, DType type,
                     const Arg& alg,
                     std::string_view name) {
  const Scope scope(name_or(name, "stateless_truncated_normal"));
  return {scaled("StatelessTruncatedNormalV2"_op, dims, seed, mean, stddev, type, alg, scope)};
}

Tensor any_integer(const Tensor& shape, const Tensor& seed, DType type, const Arg& alg) {
  if (!in_set(type, dtype_set(DType::kInt32, DType::kInt64, DType::kUInt32, DType::kUInt64)))
    fail(ErrorKind::kValue, "Argument `dtype` got invalid value ", name_of(type),
         ": it is int32, int64, uint32 or uint64");
  return drawn("StatelessRandomUniformFullIntV2"_op, shape, random_stream(seed, alg), type, "stateless_random_uniform");
}

Arg split(const Tensor& seed, const Tensor& num, const Arg& alg, std::string_view) {
  const Tensor count = as_int32(num, "num of tf.random.split");
  const Tensor known = known_value(count);
  const Tensor sizes[] = {count, ops::integer(2)};
  const Tensor shape = known ? ops::ints({one_integer(known, "num"), 2}) : ops::pack(sizes, 0);
  return {any_integer(shape, seed, seed.dtype(), alg)};
}

Arg fold_in(const Tensor& seed, const Tensor& data, const Arg& alg, std::string_view) {
  const Tensor both[] = {any_integer(ops::ints({}), seed, data.dtype(), alg), data};
  return {ops::pack(both, 0, "stack")};
}

constexpr char kNormal[] =
    "shape: tensor of int32, seed: tensor, mean: tensor = 0.0, stddev: tensor = 1.0, dtype: dtype = float32, "
    "name: str? = None, alg: any = 'auto_select'";

}  // namespace

RandomStream random_stream(const Tensor& seed, const Arg& alg) {
  const int64_t which = algorithm(alg);
  const Tensor id = ops::integer(which);
  if (which == kThreefry) return {threefry_key(seed), ops::fill(ops::ints({1}), ops::number(0, DType::kUInt64)), id};
  const auto both = apply_all("StatelessRandomGetKeyCounter"_op.row(), {&seed, 1}, {});
  return {both[0], both[1], id};
}

Tensor stateless_uniform(const Tensor& shape, const Tensor& seed, DType type, const Arg& alg, std::string_view name) {
  return drawn("StatelessRandomUniformV2"_op, shape, random_stream(seed, alg), type, name);
}

FL_PUBLIC(random_stateless) {
  return {
      {"random.stateless_uniform",
       "shape: tensor of int32, seed: tensor, minval: tensor? = 0, maxval: tensor? = None, dtype: dtype = float32, "
       "name: str? = None, alg: any = 'auto_select'",
       bind<uniform>, "numbers evenly from [minval, maxval) that follow from the seed"},
      {"random.stateless_normal", kNormal, bind<normal>, "numbers of a normal distribution that follow from the seed"},
      {"random.stateless_truncated_normal", kNormal, bind<truncated_normal>,
       "normal numbers within two deviations that follow from the seed"},
      {"random.split random.experimental.stateless_split",
       "seed: tensor, num: tensor of int32 = 2, alg: any = 'auto_select'", bind<split>, "new seeds from one"},
      {"random.fold_in random.experimental.stateless_fold_in",
       "seed: tensor, data: tensor, alg: any = 'auto_select'",
       bind<fold_in>, "a seed that also depends on another number"},
  };
}

}  // namespace footlight::composite
