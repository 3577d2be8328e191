// Public functions that draw random numbers.
#include "engine/ops/composite/define.h"
#include "engine/ops/composite/random.h"
#include "engine/ops/random_seeds.h"

namespace footlight::composite {

namespace {

Tensor draw(const Op& op, const Tensor& shape, DType type, const Arg& op_seed) {
  Attrs attrs{{"dtype"_attr, type}};
  random::set_seeds(attrs, op, seed(op_seed));
  return apply(op, {shape}, attrs);
}

// A bound in the dtype of the numbers, as a constant of its own ("random_uniform/min").
Tensor bound(const Arg& a, double otherwise, DType type, const char* name) {
  const Tensor t = in_dtype_of_numbers(a, otherwise, type, name);
  return t.body()->python_number && !t.is_symbolic() ? constant(t, name) : t;
}

Tensor shape_of(const Arg& a) {
  const Tensor dims = drawn_shape(a);
  return dims.body()->python_number ? constant(dims, "shape") : dims;
}

Arg uniform(const Arg& dims, const Arg& minval, const Arg& maxval, DType type, const Arg& op_seed,
            std::string_view name) {
  const bool whole = type == DType::kInt32 || type == DType::kInt64;
  if (!whole && !is_floating(type))
    fail(ErrorKind::kValue, "tf.random.uniform gives floats, int32 or int64, not ", name_of(type));
  if (whole && maxval.none())
    fail(ErrorKind::kValue, "tf.random.uniform of ", name_of(type),
         " needs maxval: integers have no natural upper bound");
  const Scope scope(name_or(name, "random_uniform"));
  const Tensor shape = shape_of(dims);
  const Tensor low = bound(minval, 0, type, "min");
  const Tensor high = bound(maxval, 1, type, "max");
  if (whole) {
    Attrs attrs{{"Tout"_attr, type}};
    random::set_seeds(attrs, "RandomUniformInt"_op, seed(op_seed));
    return {apply("RandomUniformInt"_op, {shape, low, high}, attrs, scope.own_name())};
  }
  return {scale_and_shift(draw("RandomUniform"_op, shape, type, op_seed), ops::sub(high, low), low, scope)};
}

Tensor scaled(const Op& op, const Arg& dims, const Arg& mean_given, const Arg& stddev, DType type, const Arg& op_seed,
              const Scope& scope) {
  if (!is_floating(type)) fail(ErrorKind::kType, "normal numbers are floats, not ", name_of(type));
  const Tensor shape = shape_of(dims);
  const Tensor mean = bound(mean_given, 0, type, "mean");
  const Tensor deviation = bound(stddev, 1, type, "stddev");
  return scale_and_shift(draw(op, shape, type, op_seed), deviation, mean, scope);
}
Arg normal(const Arg& dims, const Arg& mean, const Arg& stddev, DType type, const Arg& op_seed, std::string_view name) {
  const Scope scope(name_or(name, "random_normal"));
  return {scaled("RandomStandardNormal"_op, dims, mean, stddev, type, op_seed, scope)};
}
Arg truncated_normal(const Arg& dims, const Arg& mean, const Arg& stddev, DType type, const Arg& op_seed,
                     std::string_view name) {
  const Scope scope(name_or(name, "truncated_normal"));
  return {scaled("TruncatedNormal"_op, dims, mean, stddev, type, op_seed, scope)};
}

constexpr char kNormal[] =
    "shape: tensor of int32, mean: tensor = 0.0, stddev: tensor = 1.0, dtype: dtype = float32, seed: any = None, "
    "name: str? = None";

}  // namespace

Tensor scale_and_shift(const Tensor& drawn, const Tensor& by, const Tensor& from, const Scope& scope) {
  return ops::add(ops::mul(drawn, by), from, scope.own_name());
}

Tensor drawn_shape(const Arg& a) {
  const Tensor& t = tensor(a);
  if (t.is_symbolic() || !t.body()->python_number) return t;
  if (t.shape() == Shape{0}) return ops::ints({});
  if (t.dtype() != DType::kInt32 && t.dtype() != DType::kInt64) return t;  // the op reports the error
  if (t.shape().rank() != 1) invalid("shape must be a vector of {int32,int64}, got shape ", t.shape().brackets());
  return t;
}

Tensor in_dtype_of_numbers(const Arg& a, double otherwise, DType type, const char* what) {
  if (a.none()) return ops::number(otherwise, type);
  const Tensor& t = tensor(a);
  if (t.dtype() == type) return t;
  if (!t.body()->python_number)
    fail(ErrorKind::kValue, what, " must have the dtype of the numbers, ", name_of(type), ", its dtype is ",
         name_of(t.dtype()));
  if (is_integer(type) && !is_integer(t.dtype()))
    fail(ErrorKind::kType, what, " is a number of dtype ", name_of(t.dtype()), " and does not fit ", name_of(type));
  return ops::cast(t, type).as_constant();
}

Tensor random_uniform(const Tensor& shape, DType type, std::optional<int64_t> op_seed, std::string_view name) {
  Attrs attrs{{"dtype"_attr, type}};
  random::set_seeds(attrs, "RandomUniform"_op, op_seed);
  return apply("RandomUniform"_op, {shape}, attrs, name);
}

FL_PUBLIC(random) {
  return {
      {"random.uniform random_uniform compat.v1.random_uniform",
       "shape: tensor of int32, minval: tensor = 0, maxval: tensor? = None, dtype: dtype = float32, seed: any = None, "
       "name: str? = None",
       bind<uniform>, "numbers evenly from [minval, maxval)"},
      {"random.normal random_normal compat.v1.random_normal", kNormal, bind<normal>,
       "numbers of a normal distribution"},
      {"random.truncated_normal", kNormal, bind<truncated_normal>,
       "normal numbers, drawn again beyond two deviations"},
  };
}

}  // namespace footlight::composite
