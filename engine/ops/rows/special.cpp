// Rows of special functions and their gradients.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"

#include <numbers>

namespace footlight {

namespace {

using ops::mul;
using ops::scaled;
using ops::sum_to_shape_of;

const Tensor& incoming(GradientCall& c) { return c.output_gradients[0]; }
Tensor lgamma(const Tensor& x) { return apply("Lgamma"_op, {x}); }

// g times +-2 / sqrt(pi) exp(-x^2)
Tensor erf_slope(const Tensor& g, const Tensor& x, double sign) {
  return mul(scaled(g, sign * 2 * std::numbers::inv_sqrtpi), ops::exp(ops::neg(ops::square(x))));
}
void erf_gradient(GradientCall& c) { c.input_gradients[0] = erf_slope(incoming(c), c.inputs[0], 1); }
void erfc_gradient(GradientCall& c) { c.input_gradients[0] = erf_slope(incoming(c), c.inputs[0], -1); }

// sqrt(pi) / 2 exp(y^2)
void erfinv_gradient(GradientCall& c) {
  c.input_gradients[0] =
      mul(scaled(incoming(c), 1 / (2 * std::numbers::inv_sqrtpi)), ops::exp(ops::square(c.outputs[0])));
}
// sqrt(2 pi) exp(y^2 / 2)
void ndtri_gradient(GradientCall& c) {
  constexpr double kRootTwoPi = std::numbers::sqrt2 / std::numbers::inv_sqrtpi;
  const Tensor half = ops::div(ops::square(c.outputs[0]), ops::number(2, c.outputs[0].dtype()));
  c.input_gradients[0] = mul(scaled(incoming(c), kRootTwoPi), ops::exp(half));
}

void lgamma_gradient(GradientCall& c) { c.input_gradients[0] = mul(incoming(c), apply("Digamma"_op, {c.inputs[0]})); }
// Polygamma accepts no 16-bit floats, so they are computed in float32.
void digamma_gradient(GradientCall& c) {
  const DType t = c.inputs[0].dtype();
  const Tensor x = t == DType::kFloat64 ? c.inputs[0] : ops::cast(c.inputs[0], DType::kFloat32);
  c.input_gradients[0] = mul(incoming(c), ops::cast(apply("Polygamma"_op, {ops::number(1, x.dtype()), x}), t));
}

void bessel_i0_gradient(GradientCall& c) {
  c.input_gradients[0] = mul(incoming(c), apply("BesselI1"_op, {c.inputs[0]}));
}
void bessel_i0e_gradient(GradientCall& c) {
  const Tensor& x = c.inputs[0];
  c.input_gradients[0] =
      mul(incoming(c), ops::sub(apply("BesselI1e"_op, {x}), mul(apply("Sign"_op, {x}), c.outputs[0])));
}
// Replaces the derivative at 0, where the formula divides 0 by 0.
Tensor except_at_zero(const Tensor& x, double at_zero, const Tensor& elsewhere) {
  return ops::where(ops::equal(x, ops::number(0, x.dtype())), ops::number(at_zero, x.dtype()), elsewhere);
}
// I0(x) - I1(x) / x
void bessel_i1_gradient(GradientCall& c) {
  const Tensor& x = c.inputs[0];
  const Tensor slope = except_at_zero(x, 1, ops::sub(apply("BesselI0"_op, {x}), ops::div(c.outputs[0], x)));
  c.input_gradients[0] = mul(incoming(c), slope);
}
// I0e(x) - I1e(x) (sign(x) + 1 / x)
void bessel_i1e_gradient(GradientCall& c) {
  const Tensor& x = c.inputs[0];
  const Tensor falls = mul(c.outputs[0], ops::add(apply("Sign"_op, {x}), ops::reciprocal(x)));
  c.input_gradients[0] = mul(incoming(c), except_at_zero(x, 0.5, ops::sub(apply("BesselI0e"_op, {x}), falls)));
}

Tensor bessel(const Op& op, const Tensor& x) { return apply(op, {x}); }
// The derivatives of J0, Y0 and K0 are -J1, -Y1 and -K1.
template <const char* Neighbour>
void falling_gradient(GradientCall& c) {
  static const Op neighbour{Neighbour};
  c.input_gradients[0] = mul(incoming(c), ops::neg(bessel(neighbour, c.inputs[0])));
}
constexpr char kJ1[] = "BesselJ1", kY1[] = "BesselY1", kK1[] = "BesselK1";
void bessel_j1_gradient(GradientCall& c) {
  const Tensor& x = c.inputs[0];
  const Tensor slope = except_at_zero(x, 0.5, ops::sub(bessel("BesselJ0"_op, x), ops::div(c.outputs[0], x)));
  c.input_gradients[0] = mul(incoming(c), slope);
}
void bessel_y1_gradient(GradientCall& c) {
  const Tensor& x = c.inputs[0];
  c.input_gradients[0] = mul(incoming(c), ops::sub(bessel("BesselY0"_op, x), ops::div(c.outputs[0], x)));
}
void bessel_k0e_gradient(GradientCall& c) {
  c.input_gradients[0] = mul(incoming(c), ops::sub(c.outputs[0], bessel("BesselK1e"_op, c.inputs[0])));
}
void bessel_k1_gradient(GradientCall& c) {
  const Tensor& x = c.inputs[0];
  c.input_gradients[0] = mul(incoming(c), ops::neg(ops::add(bessel("BesselK0"_op, x), ops::div(c.outputs[0], x))));
}
void bessel_k1e_gradient(GradientCall& c) {
  const Tensor& x = c.inputs[0];
  const Tensor one = ops::number(1, x.dtype());
  const Tensor grown = mul(c.outputs[0], ops::sub(one, ops::reciprocal(x)));
  c.input_gradients[0] = mul(incoming(c), ops::sub(grown, bessel("BesselK0e"_op, x)));
}

// 1 - 2 x dawsn(x)
void dawsn_gradient(GradientCall& c) {
  const Tensor& x = c.inputs[0];
  const Tensor slope = ops::sub(ops::number(1, x.dtype()), scaled(mul(x, c.outputs[0]), 2));
  c.input_gradients[0] = mul(incoming(c), slope);
}
void expint_gradient(GradientCall& c) {
  const Tensor& x = c.inputs[0];
  c.input_gradients[0] = mul(incoming(c), ops::div(ops::exp(x), x));
}
template <const char* Wave>
void fresnel_gradient(GradientCall& c) {
  static const Op wave{Wave};
  c.input_gradients[0] =
      mul(incoming(c), apply(wave, {scaled(ops::square(c.inputs[0]), std::numbers::pi / 2)}));
}
constexpr char kCos[] = "Cos", kSin[] = "Sin";
// log(x) / (1 - x)
void spence_gradient(GradientCall& c) {
  const Tensor& x = c.inputs[0];
  const Tensor one = ops::number(1, x.dtype());
  const Tensor slope = ops::div(ops::log(x), ops::sub(one, x));
  c.input_gradients[0] = mul(incoming(c), ops::where(ops::equal(x, one), ops::neg(one), slope));
}

// exp(-x + (a - 1) log(x) - lgamma(a)): in logarithms, because gamma(a) grows fast.
void igamma_gradient(GradientCall& c) {
  const Tensor& a = c.inputs[0];
  const Tensor& x = c.inputs[1];
  const bool wide = a.dtype() == DType::kFloat32 || a.dtype() == DType::kFloat64;
  const Tensor wide_a = wide ? a : ops::cast(a, DType::kFloat32);
  const Tensor wide_x = wide ? x : ops::cast(x, DType::kFloat32);
  const Tensor slope_a = ops::cast(apply("IgammaGradA"_op, {wide_a, wide_x}), a.dtype());
  const Tensor power = mul(ops::sub(a, ops::number(1, a.dtype())), ops::log(x));
  const Tensor slope_x = ops::exp(ops::sub(ops::add(ops::neg(x), power), lgamma(a)));
  c.input_gradients[0] = sum_to_shape_of(mul(slope_a, incoming(c)), a);
  c.input_gradients[1] = sum_to_shape_of(mul(slope_x, incoming(c)), x);
}
void igammac_gradient(GradientCall& c) {
  igamma_gradient(c);
  for (Tensor& g : c.input_gradients) g = ops::neg(g);
}

// In x alone: x^(a - 1) (1 - x)^(b - 1) / beta(a, b).
void betainc_gradient(GradientCall& c) {
  const Tensor &a = c.inputs[0], &b = c.inputs[1], &x = c.inputs[2];
  const Tensor one = ops::number(1, x.dtype());
  const Tensor log_beta = ops::sub(ops::add(lgamma(a), lgamma(b)), lgamma(ops::add(a, b)));
  const Tensor power =
      ops::add(apply("Xlog1py"_op, {ops::sub(b, one), ops::neg(x)}), apply("Xlogy"_op, {ops::sub(a, one), x}));
  c.input_gradients[2] = sum_to_shape_of(mul(ops::exp(ops::sub(power, log_beta)), incoming(c)), x);
}

// -x zeta(x + 1, q), in q alone
void zeta_gradient(GradientCall& c) {
  const Tensor &x = c.inputs[0], &q = c.inputs[1];
  const Tensor slope = mul(ops::neg(x), apply("Zeta"_op, {ops::add(x, ops::number(1, x.dtype())), q}));
  c.input_gradients[1] = sum_to_shape_of(mul(slope, incoming(c)), q);
}
void polygamma_gradient(GradientCall& c) {
  const Tensor &n = c.inputs[0], &x = c.inputs[1];
  const Tensor slope = apply("Polygamma"_op, {ops::add(n, ops::number(1, n.dtype())), x});
  c.input_gradients[1] = sum_to_shape_of(mul(slope, incoming(c)), x);
}

// Scalars broadcast with any shape; all other shapes must be equal.
void betainc_shape(Inference& i) {
  Shape out;
  bool unknown = false;
  for (size_t k = 0; k < 3; ++k) {
    const Shape& s = i.shape(k);
    if (!s.has_rank()) {
      unknown = true;
      continue;
    }
    if (s.rank() == 0) continue;
    if (out.rank() != 0 && !compatible(out, s))
      invalid("a, b and x of Betainc must have one shape or be scalars, got ", i.shape(0).to_string(), ", ",
              i.shape(1).to_string(), " and ", i.shape(2).to_string(), " [Op:Betainc]");
    out = out.rank() == 0 ? s : merge(out, s);
  }
  i.output_shapes[0] = unknown && out.rank() == 0 ? Shape::unknown_rank() : out;
}

RowDef unary(const char* name, GradientFunction gradient, const char* doc) {
  return {name, "x: T -> y: T", "T: floats", infer::same, gradient, OpFamily::kElementwise, doc,
          {.fast = FastPath::kUnary, .flops = flops::kSeries}};
}
RowDef binary(const char* name, const char* inputs, const char* types, GradientFunction gradient, const char* doc) {
  return {name, inputs, types, infer::broadcast, gradient, OpFamily::kElementwise, doc,
          {.fast = FastPath::kBinary, .flops = flops::kSeries}};
}

}  // namespace

FL_ROWS(special) {
  constexpr const char* kWide = "T: float32|float64";
  return {
      unary("Erf", erf_gradient, "the error function"),
      unary("Erfc", erfc_gradient, "1 - erf(x), exact where erf(x) is near 1"),
      unary("Erfinv", erfinv_gradient, "the inverse of the error function"),
      unary("Ndtri", ndtri_gradient, "the quantile of the standard normal distribution"),
      unary("Lgamma", lgamma_gradient, "the logarithm of the absolute value of gamma(x)"),
      unary("Digamma", digamma_gradient, "the slope of lgamma(x)"),
      unary("BesselI0", bessel_i0_gradient, "the modified Bessel function of order 0"),
      unary("BesselI0e", bessel_i0e_gradient, "the modified Bessel function of order 0, times ops::exp(-|x|)"),
      unary("BesselI1", bessel_i1_gradient, "the modified Bessel function of order 1"),
      unary("BesselI1e", bessel_i1e_gradient, "the modified Bessel function of order 1, times ops::exp(-|x|)"),
      unary("BesselJ0", falling_gradient<kJ1>, "the Bessel function of the first kind, of order 0"),
      unary("BesselJ1", bessel_j1_gradient, "the Bessel function of the first kind, of order 1"),
      unary("BesselY0", falling_gradient<kY1>, "the Bessel function of the second kind, of order 0"),
      unary("BesselY1", bessel_y1_gradient, "the Bessel function of the second kind, of order 1"),
      unary("BesselK0", falling_gradient<kK1>, "the modified Bessel function of the second kind, of order 0"),
      unary("BesselK0e", bessel_k0e_gradient, "BesselK0 times exp(x)"),
      unary("BesselK1", bessel_k1_gradient, "the modified Bessel function of the second kind, of order 1"),
      unary("BesselK1e", bessel_k1e_gradient, "BesselK1 times exp(x)"),
      unary("Dawsn", dawsn_gradient, "exp(-x^2) times the integral of exp(t^2) from 0 to x"),
      unary("Expint", expint_gradient, "the integral of exp(t) / t up to x"),
      unary("FresnelCos", fresnel_gradient<kCos>, "the integral of cos(pi t^2 / 2) from 0 to x"),
      unary("FresnelSin", fresnel_gradient<kSin>, "the integral of sin(pi t^2 / 2) from 0 to x"),
      unary("Spence", spence_gradient, "the integral of log(t) / (1 - t) from 1 to x"),
      binary("Igamma", "a: T, x: T -> z: T", "T: floats", igamma_gradient,
             "the lower incomplete gamma function, divided by gamma(a)"),
      binary("Igammac", "a: T, x: T -> z: T", "T: floats", igammac_gradient,
             "the upper incomplete gamma function, divided by gamma(a)"),
      binary("IgammaGradA", "a: T, x: T -> z: T", kWide, nullptr, "the slope of igamma(a, x) in a"),
      binary("Zeta", "x: T, q: T -> z: T", kWide, zeta_gradient, "the sum of (q + n)^-x over n = 0, 1, ..."),
      binary("Polygamma", "a: T, x: T -> z: T", kWide, polygamma_gradient, "the a-th derivative of digamma(x)"),
      {"Betainc", "a: T, b: T, x: T -> z: T", kWide, betainc_shape, betainc_gradient, OpFamily::kElementwise,
       "the incomplete beta function, divided by beta(a, b)", {.flops = flops::kSeries}},
  };
}

}  // namespace footlight
