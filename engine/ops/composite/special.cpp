// Public trigonometric, hyperbolic and special functions.
#include "engine/ops/composite/define.h"

namespace footlight::composite {

namespace {

constexpr char kOne[] = "x: tensor, name: str? = None";
constexpr char kOf[] = "a: tensor as x, x: tensor as a, name: str? = None";

// A function that is one op in a name scope: "erfinv/Erfinv".
template <Literal op_name, Literal scope_name>
Arg scoped_op(const Tensor& x, std::string_view name) {
  const Scope scope(name_or(name, scope_name.text));
  return {apply(op_named<op_name>(), {x})};
}

// Computes -ndtri(x / 2) / sqrt(2).
Arg erfcinv(const Tensor& x, std::string_view name) {
  if (!is_floating(x.dtype()) && !is_complex(x.dtype()))
    fail(ErrorKind::kType, "tf.math.erfcinv: x must be of a floating dtype, not ", name_of(x.dtype()),
         "; cast it with tf.cast");
  const Scope scope(name_or(name, "erfcinv"));
  const Tensor half = ops::mul(ops::number(0.5, x.dtype()), x);
  Tensor y;
  {
    const Scope inner("ndtri");
    y = apply("Ndtri"_op, {half});
  }
  y = ops::neg(y);
  return {ops::mul(y, ops::number(0.70710678118654752440, x.dtype()))};
}

// Returns the sum of lgamma over the last dimension, minus lgamma of the sum.
Arg lbeta(const Tensor& x, std::string_view name) {
  const Scope scope(name_or(name, "lbeta"));
  const Tensor last = ops::ints({-1});
  const Tensor parts = ops::sum(apply("Lgamma"_op, {x}), last);
  return {ops::sub(parts, apply("Lgamma"_op, {ops::sum(x, last)}))};
}

}  // namespace

FL_PUBLIC(special) {
  return {
      {"math.tan tan", kOne, one_op<"Tan">, "the tangent"},
      {"math.asin asin", kOne, one_op<"Asin">, "the angle whose sine is x"},
      {"math.acos acos", kOne, one_op<"Acos">, "the angle whose cosine is x"},
      {"math.atan atan", kOne, one_op<"Atan">, "the angle whose tangent is x"},
      {"math.atan2 atan2", "y: tensor as x, x: tensor as y, name: str? = None", one_op<"Atan2">,
       "the angle of the point (x, y), in [-pi, pi]"},
      {"math.sinh sinh", kOne, one_op<"Sinh">, "the hyperbolic sine"},
      {"math.cosh cosh", kOne, one_op<"Cosh">, "the hyperbolic cosine"},
      {"math.asinh asinh", kOne, one_op<"Asinh">, "the inverse of the hyperbolic sine"},
      {"math.acosh acosh", kOne, one_op<"Acosh">, "the inverse of the hyperbolic cosine"},
      {"math.atanh atanh", kOne, one_op<"Atanh">, "the inverse of the hyperbolic tangent"},
      {"math.erf", kOne, one_op<"Erf">, "the error function"},
      {"math.erfc", kOne, one_op<"Erfc">, "1 - erf(x), exact where erf(x) is near 1"},
      {"math.erfinv", kOne, bind<scoped_op<"Erfinv", "erfinv">>, "the inverse of the error function"},
      {"math.erfcinv", kOne, bind<erfcinv>, "the inverse of erfc"},
      {"math.ndtri", kOne, bind<scoped_op<"Ndtri", "ndtri">>, "the quantile of the standard normal distribution"},
      {"math.lgamma", kOne, one_op<"Lgamma">, "the logarithm of the absolute value of gamma(x)"},
      {"math.digamma", kOne, one_op<"Digamma">, "the slope of lgamma(x)"},
      {"math.polygamma", kOf, one_op<"Polygamma">, "the a-th derivative of digamma(x)"},
      {"math.zeta", "x: tensor as q, q: tensor as x, name: str? = None", one_op<"Zeta">,
       "the sum of (q + n)^-x over n = 0, 1, ..."},
      {"math.igamma", kOf, one_op<"Igamma">, "the lower incomplete gamma function, divided by gamma(a)"},
      {"math.igammac", kOf, one_op<"Igammac">, "the upper incomplete gamma function, divided by gamma(a)"},
      {"math.betainc", "a: tensor as x, b: tensor as x, x: tensor as a, name: str? = None", one_op<"Betainc">,
       "the incomplete beta function, divided by beta(a, b)"},
      {"math.lbeta", kOne, bind<lbeta>, "log(|beta(x)|) over the last dimension"},
      {"math.bessel_i0 math.special.bessel_i0", kOne, bind<scoped_op<"BesselI0", "bessel_i0">>,
       "the modified Bessel function of order 0"},
      {"math.bessel_i0e math.special.bessel_i0e", kOne, bind<scoped_op<"BesselI0e", "bessel_i0e">>,
       "bessel_i0(x) exp(-|x|)"},
      {"math.bessel_i1 math.special.bessel_i1", kOne, bind<scoped_op<"BesselI1", "bessel_i1">>,
       "the modified Bessel function of order 1"},
      {"math.bessel_i1e math.special.bessel_i1e", kOne, bind<scoped_op<"BesselI1e", "bessel_i1e">>,
       "bessel_i1(x) exp(-|x|)"},
      {"math.special.bessel_j0", kOne, bind<scoped_op<"BesselJ0", "bessel_j0">>,
       "the Bessel function of the first kind, of order 0"},
      {"math.special.bessel_j1", kOne, bind<scoped_op<"BesselJ1", "bessel_j1">>,
       "the Bessel function of the first kind, of order 1"},
      {"math.special.bessel_y0", kOne, bind<scoped_op<"BesselY0", "bessel_y0">>,
       "the Bessel function of the second kind, of order 0"},
      {"math.special.bessel_y1", kOne, bind<scoped_op<"BesselY1", "bessel_y1">>,
       "the Bessel function of the second kind, of order 1"},
      {"math.special.bessel_k0", kOne, bind<scoped_op<"BesselK0", "bessel_k0">>,
       "the modified Bessel function of the second kind, of order 0"},
      {"math.special.bessel_k0e", kOne, bind<scoped_op<"BesselK0e", "bessel_k0e">>,
       "bessel_k0(x) exp(x)"},
      {"math.special.bessel_k1", kOne, bind<scoped_op<"BesselK1", "bessel_k1">>,
       "the modified Bessel function of the second kind, of order 1"},
      {"math.special.bessel_k1e", kOne, bind<scoped_op<"BesselK1e", "bessel_k1e">>,
       "bessel_k1(x) exp(x)"},
      {"math.special.dawsn", kOne, bind<scoped_op<"Dawsn", "dawsn">>,
       "exp(-x^2) times the integral of exp(t^2) from 0 to x"},
      {"math.special.expint", kOne, bind<scoped_op<"Expint", "expint">>,
       "the integral of exp(t) / t up to x"},
      {"math.special.fresnel_cos", kOne, bind<scoped_op<"FresnelCos", "fresnel_cos">>,
       "the integral of cos(pi t^2 / 2) from 0 to x"},
      {"math.special.fresnel_sin", kOne, bind<scoped_op<"FresnelSin", "fresnel_sin">>,
       "the integral of sin(pi t^2 / 2) from 0 to x"},
      {"math.special.spence", kOne, bind<scoped_op<"Spence", "spence">>,
       "the integral of log(t) / (1 - t) from 1 to x"},
  };
}

}  // namespace footlight::composite
