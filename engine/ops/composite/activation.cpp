// Public activation functions.
#include "engine/ops/composite/define.h"

namespace footlight::composite {

namespace {

Tensor sigmoid(const Tensor& x) { return apply("Sigmoid"_op, {x}); }
Tensor number_like(double value, const Tensor& x) { return ops::number(value, x.dtype()); }
// The nearest float32, in the dtype of x.
Tensor float_like(float value, const Tensor& x) { return ops::number(static_cast<double>(value), x.dtype()); }

Arg leaky_relu(const Tensor& given, double alpha, std::string_view name) {
  const Scope scope(name_or(name, "LeakyRelu"));
  const Tensor x = is_integer(given.dtype()) ? ops::cast(given, DType::kFloat32) : given;
  return {apply("LeakyRelu"_op, {x}, {{"alpha"_attr, static_cast<float>(alpha)}}, scope.own_name())};
}

Arg gelu(const Tensor& x, bool approximate, std::string_view name) {
  if (!is_floating(x.dtype()))
    fail(ErrorKind::kValue, "tf.nn.gelu: features must be of a floating dtype, not ", name_of(x.dtype()),
         "; cast them with tf.cast");
  const Scope scope(name_or(name, "Gelu"));
  const Tensor half = ops::mul(number_like(0.5, x), x);
  if (!approximate) return {ops::mul(half, apply("Erfc"_op, {ops::mul(ops::neg(x), float_like(0.70710678f, x))}))};
  const Tensor cube = ops::mul(float_like(0.044715f, x), apply("Pow"_op, {x, number_like(3, x)}));
  const Tensor inner = apply("Tanh"_op, {ops::mul(number_like(0.7978845608028654, x), ops::add(x, cube))});
  return {ops::mul(half, ops::add(number_like(1, x), inner))};
}

Arg silu(const Tensor& x, const Tensor& beta_given, std::string_view) {
  const Tensor beta = ops::cast(beta_given, x.dtype());
  return {ops::mul(x, sigmoid(ops::mul(beta, x)))};
}

Arg crelu(const Tensor& x, int64_t axis, std::string_view name) {
  const Scope scope(name_or(name, "CRelu"));
  const Tensor parts[] = {x, ops::neg(x), ops::integer(axis)};
  return {apply("Relu"_op, {apply("ConcatV2"_op.row(), parts, {}, scope.own_name())})};
}

Arg log_sigmoid(const Tensor& x, std::string_view name) {
  const Scope scope(name_or(name, "LogSigmoid"));
  return {apply("Neg"_op, {apply("Softplus"_op, {ops::neg(x)})}, {}, scope.own_name())};
}

constexpr char kFeatures[] = "features: tensor, name: str? = None";

}  // namespace

FL_PUBLIC(activation) {
  return {
      {"nn.relu", kFeatures, one_op<"Relu">, "max(x, 0)"},
      {"nn.relu6", kFeatures, one_op<"Relu6">, "min(max(x, 0), 6)"},
      {"nn.elu", kFeatures, one_op<"Elu">, "x, and exp(x) - 1 below 0"},
      {"nn.selu", kFeatures, one_op<"Selu">, "a scaled elu that keeps mean 0 and variance 1"},
      {"nn.leaky_relu", "features: tensor, alpha: float = 0.2, name: str? = None", bind<leaky_relu>,
       "x, and alpha x below 0"},
      {"nn.gelu", "features: tensor, approximate: bool = False, name: str? = None", bind<gelu>,
       "x times the probability that a standard normal number is below x"},
      {"nn.silu nn.swish", "features: tensor, beta: tensor = 1.0", bind<silu>, "x sigmoid(beta x)"},
      {"nn.crelu", "features: tensor, axis: int = -1, name: str? = None", bind<crelu>,
       "relu(x) and relu(-x) side by side along an axis"},
      {"nn.softplus math.softplus", kFeatures, one_op<"Softplus">, "log(1 + exp(x))"},
      {"nn.softsign math.softsign", kFeatures, one_op<"Softsign">, "x / (1 + |x|)"},
      {"math.log_sigmoid", "x: tensor, name: str? = None",
       bind<log_sigmoid>, "log(sigmoid(x)), exact where that is near 0"},
  };
}

}  // namespace footlight::composite
