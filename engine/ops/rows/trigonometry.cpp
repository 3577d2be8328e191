// Rows of trigonometric and hyperbolic functions and their inverses, and their gradients.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"

namespace footlight {

namespace {

using ops::conj;
using ops::mul;

const Tensor& incoming(GradientCall& c) { return c.output_gradients[0]; }
Tensor one_like(const Tensor& x) { return ops::number(1, x.dtype()); }

// 1 / cos(x)^2
void tan_gradient(GradientCall& c) {
  c.input_gradients[0] = mul(ops::square(ops::reciprocal(apply("Cos"_op, {conj(c.inputs[0])}))), incoming(c));
}

// 1 / sqrt(1 - x^2)
Tensor asin_slope(const Tensor& x) { return ops::reciprocal(ops::sqrt(ops::sub(one_like(x), ops::square(x)))); }
void asin_gradient(GradientCall& c) { c.input_gradients[0] = mul(incoming(c), asin_slope(conj(c.inputs[0]))); }
void acos_gradient(GradientCall& c) {
  c.input_gradients[0] = mul(ops::neg(incoming(c)), asin_slope(conj(c.inputs[0])));
}
// 1 / (1 + x^2)
void atan_gradient(GradientCall& c) {
  const Tensor x = conj(c.inputs[0]);
  c.input_gradients[0] = mul(incoming(c), ops::reciprocal(ops::add(one_like(x), ops::square(x))));
}
// x / (y^2 + x^2) and -y / (y^2 + x^2)
void atan2_gradient(GradientCall& c) {
  const Tensor& y = c.inputs[0];
  const Tensor& x = c.inputs[1];
  const Tensor g = ops::div(incoming(c), ops::add(ops::square(y), ops::square(x)));
  c.input_gradients[0] = ops::sum_to_shape_of(mul(x, g), y);
  c.input_gradients[1] = ops::sum_to_shape_of(mul(ops::neg(y), g), x);
}

void sinh_gradient(GradientCall& c) { c.input_gradients[0] = mul(incoming(c), apply("Cosh"_op, {conj(c.inputs[0])})); }
void cosh_gradient(GradientCall& c) { c.input_gradients[0] = mul(incoming(c), apply("Sinh"_op, {conj(c.inputs[0])})); }
// In terms of y: 1 / cosh(y), 1 / sinh(y).
void asinh_gradient(GradientCall& c) {
  c.input_gradients[0] = ops::div(incoming(c), apply("Cosh"_op, {conj(c.outputs[0])}));
}
void acosh_gradient(GradientCall& c) {
  c.input_gradients[0] = ops::div(incoming(c), apply("Sinh"_op, {conj(c.outputs[0])}));
}
// 1 / (1 - x^2)
void atanh_gradient(GradientCall& c) {
  const Tensor x = conj(c.inputs[0]);
  c.input_gradients[0] = mul(incoming(c), ops::reciprocal(ops::sub(one_like(x), ops::square(x))));
}

RowDef unary(const char* name, GradientFunction gradient, const char* doc) {
  return {name, "x: T -> y: T", "T: floatcomplex", infer::same, gradient, OpFamily::kElementwise, doc,
          {.fast = FastPath::kUnary, .flops = flops::kSeries}};
}

}  // namespace

FL_ROWS(trigonometry) {
  return {
      unary("Tan", tan_gradient, "the tangent"),
      unary("Asin", asin_gradient, "the angle whose sine is x"),
      unary("Acos", acos_gradient, "the angle whose cosine is x"),
      unary("Atan", atan_gradient, "the angle whose tangent is x"),
      {"Atan2", "y: T, x: T -> z: T", "T: floats", infer::broadcast, atan2_gradient, OpFamily::kElementwise,
       "the angle of the point (x, y), in [-pi, pi]", {.fast = FastPath::kBinary, .flops = flops::kSeries}},
      unary("Sinh", sinh_gradient, "the hyperbolic sine"),
      unary("Cosh", cosh_gradient, "the hyperbolic cosine"),
      unary("Asinh", asinh_gradient, "the inverse of the hyperbolic sine"),
      unary("Acosh", acosh_gradient, "the inverse of the hyperbolic cosine"),
      unary("Atanh", atanh_gradient, "the inverse of the hyperbolic tangent"),
  };
}

}  // namespace footlight
