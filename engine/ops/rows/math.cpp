// Rows of functions of one element and their gradients.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"

namespace footlight {

namespace {

using ops::conj;
using ops::mul;

const Tensor& incoming(GradientCall& c) { return c.output_gradients[0]; }

void neg_gradient(GradientCall& c) { c.input_gradients[0] = ops::neg(incoming(c)); }

void abs_gradient(GradientCall& c) {
  static const Op sign{"Sign"};
  c.input_gradients[0] = mul(incoming(c), apply(sign, {c.inputs[0]}));
}

// Of real numbers flat everywhere: zeros, which are something else than no gradient. Of complex ones what
// turns y = x / |x| along its circle: (g - y Re(conj(y) g)) / |x|.
void sign_gradient(GradientCall& c) {
  static const Op divide{"DivNoNan"};
  const Tensor& x = c.inputs[0];
  const Tensor& y = c.outputs[0];
  const Tensor& g = c.output_gradients[0];
  if (!is_complex(x.dtype())) {
    c.input_gradients[0] = ops::zeros_like(x);
    return;
  }
  const Tensor twice_real = ops::add(mul(conj(y), g), mul(y, conj(g)));
  const Tensor across = ops::sub(g, mul(mul(y, twice_real), ops::number(0.5, x.dtype())));
  c.input_gradients[0] = apply(divide, {across, mul(x, conj(y))});
}

// Of a complex number: towards x, on the circle of its sign.
void complex_abs_gradient(GradientCall& c) {
  static const Op sign{"Sign"};
  c.input_gradients[0] = mul(ops::cast(incoming(c), c.inputs[0].dtype()), apply(sign, {c.inputs[0]}));
}

void square_gradient(GradientCall& c) {
  c.input_gradients[0] = mul(incoming(c), mul(ops::number(2, c.inputs[0].dtype()), conj(c.inputs[0])));
}

void reciprocal_gradient(GradientCall& c) {
  c.input_gradients[0] = ops::neg(mul(incoming(c), ops::square(conj(c.outputs[0]))));
}

void sqrt_gradient(GradientCall& c) {
  c.input_gradients[0] = ops::div(mul(incoming(c), ops::number(0.5, c.inputs[0].dtype())), conj(c.outputs[0]));
}

// -1/2 y^3
void rsqrt_gradient(GradientCall& c) {
  const Tensor y = conj(c.outputs[0]);
  c.input_gradients[0] = mul(mul(ops::number(-0.5, y.dtype()), incoming(c)), mul(ops::square(y), y));
}

void exp_gradient(GradientCall& c) { c.input_gradients[0] = mul(incoming(c), conj(c.outputs[0])); }

void expm1_gradient(GradientCall& c) {
  static const Op exp{"Exp"};
  c.input_gradients[0] = mul(incoming(c), apply(exp, {conj(c.inputs[0])}));
}

void log_gradient(GradientCall& c) { c.input_gradients[0] = mul(incoming(c), ops::reciprocal(conj(c.inputs[0]))); }

void log1p_gradient(GradientCall& c) {
  c.input_gradients[0] =
      mul(incoming(c), ops::reciprocal(ops::add(ops::number(1, c.inputs[0].dtype()), conj(c.inputs[0]))));
}

void tanh_gradient(GradientCall& c) {
  static const Op op{"TanhGrad"};
  c.input_gradients[0] = apply(op, {conj(c.outputs[0]), incoming(c)});
}

// z = dy (1 - y^2)
void tanh_grad_gradient(GradientCall& c) {
  static const Op op{"TanhGrad"};
  const Tensor y = conj(c.inputs[0]);
  const Tensor dy = conj(c.inputs[1]);
  c.input_gradients[0] = mul(mul(mul(incoming(c), ops::number(-2, y.dtype())), dy), y);
  c.input_gradients[1] = apply(op, {y, incoming(c)});
}

void sigmoid_gradient(GradientCall& c) {
  static const Op op{"SigmoidGrad"};
  c.input_gradients[0] = apply(op, {conj(c.outputs[0]), incoming(c)});
}

// z = dy y (1 - y)
void sigmoid_grad_gradient(GradientCall& c) {
  static const Op op{"SigmoidGrad"};
  const Tensor y = conj(c.inputs[0]);
  const Tensor dy = conj(c.inputs[1]);
  const Tensor slope = ops::sub(ops::number(1, y.dtype()), mul(ops::number(2, y.dtype()), y));
  c.input_gradients[0] = mul(mul(incoming(c), dy), slope);
  c.input_gradients[1] = apply(op, {y, incoming(c)});
}

void relu_gradient(GradientCall& c) {
  static const Op op{"ReluGrad"};
  c.input_gradients[0] = apply(op, {incoming(c), c.inputs[0]});
}

void relu_grad_gradient(GradientCall& c) {
  static const Op op{"ReluGrad"};
  c.input_gradients[0] = apply(op, {incoming(c), c.inputs[1]});
}

void sin_gradient(GradientCall& c) {
  static const Op op{"Cos"};
  c.input_gradients[0] = mul(incoming(c), apply(op, {conj(c.inputs[0])}));
}

void cos_gradient(GradientCall& c) {
  static const Op op{"Sin"};
  c.input_gradients[0] = ops::neg(mul(incoming(c), apply(op, {conj(c.inputs[0])})));
}

void conj_gradient(GradientCall& c) { c.input_gradients[0] = conj(incoming(c)); }

void softmax_shape(Inference& i) {
  if (i.shape(0).has_rank() && i.shape(0).rank() == 0)
    invalid(i.row.name, " needs a tensor of at least 1 dimension, a scalar came [Op:", i.row.name, "]");
  infer::same(i);
}

// (g - sum(g y)) y over the last dimension
void softmax_gradient(GradientCall& c) {
  const Tensor& y = c.outputs[0];
  const Tensor& g = incoming(c);
  c.input_gradients[0] = mul(ops::sub(g, ops::sum(mul(g, y), ops::ints({-1}), true)), y);
}

void log_softmax_gradient(GradientCall& c) {
  static const Op exp{"Exp"};
  const Tensor& g = incoming(c);
  c.input_gradients[0] = ops::sub(g, mul(ops::sum(g, ops::ints({-1}), true), apply(exp, {c.outputs[0]})));
}

void complex_abs_shape(Inference& i) {
  infer::same(i);
  i.output_dtypes[0] = i.dtype(0) == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
}

RowDef unary(const char* name, const char* types, GradientFunction gradient, const char* doc) {
  return {name, "x: T -> y: T", types, infer::same, gradient, OpFamily::kElementwise, doc, {.fast = FastPath::kUnary}};
}
RowDef stepwise(const char* name, const char* types, const char* doc) {
  RowDef def = unary(name, types, nullptr, doc);
  def.more.zero_gradient = true;
  return def;
}
RowDef test(const char* name, const char* doc) {
  return {name,    "x: T -> y: bool",      "T: floats", infer::same,
          nullptr, OpFamily::kElementwise, doc,         {.zero_gradient = true}};
}
RowDef gradient_of(const char* name, const char* signature, const char* types, GradientFunction gradient,
                   const char* doc) {
  return {name, signature, types, infer::broadcast, gradient, OpFamily::kElementwise, doc, {.fast = FastPath::kBinary}};
}

}  // namespace

FL_ROWS(math) {
  constexpr const char* kFloat = "T: floatcomplex";
  return {
      unary("Neg", "T: floatcomplex|signed", neg_gradient, "-x"),
      unary("Abs", "T: real", abs_gradient, "the absolute value"),
      {"ComplexAbs", "x: T -> y: Tout", "T: complex = complex64; Tout: type = float32", complex_abs_shape,
       complex_abs_gradient, OpFamily::kElementwise, "the absolute value of complex numbers"},
      unary("Sign", "T: floatcomplex|signed", sign_gradient, "-1, 0 or 1; of a complex number x / |x|"),
      unary("Square", "T: numbers", square_gradient, "x * x"),
      unary("Reciprocal", kFloat, reciprocal_gradient, "1 / x"),
      unary("Sqrt", kFloat, sqrt_gradient, "the square root"),
      unary("Rsqrt", kFloat, rsqrt_gradient, "1 / the square root"),
      unary("Exp", kFloat, exp_gradient, "e to the power of x"),
      unary("Expm1", kFloat, expm1_gradient, "exp(x) - 1, exact near 0"),
      unary("Log", kFloat, log_gradient, "the natural logarithm"),
      unary("Log1p", kFloat, log1p_gradient, "log(1 + x), exact near 0"),
      unary("Tanh", kFloat, tanh_gradient, "the hyperbolic tangent"),
      gradient_of("TanhGrad", "y: T, dy: T -> z: T", kFloat, tanh_grad_gradient, "dy * (1 - y * y)"),
      unary("Sigmoid", kFloat, sigmoid_gradient, "1 / (1 + exp(-x))"),
      gradient_of("SigmoidGrad", "y: T, dy: T -> z: T", kFloat, sigmoid_grad_gradient, "dy * y * (1 - y)"),
      unary("Sin", kFloat, sin_gradient, "the sine"),
      unary("Cos", kFloat, cos_gradient, "the cosine"),
      stepwise("Floor", "T: floats", "the next integer below"),
      stepwise("Ceil", "T: floats", "the next integer above"),
      stepwise("Round", "T: real", "the nearest integer, halves to even"),
      unary("Relu", "T: real", relu_gradient, "max(x, 0)"),
      gradient_of("ReluGrad", "gradients: T, features: T -> backprops: T", "T: real", relu_grad_gradient,
                  "the gradients where features > 0"),
      unary("Conj", "T: complex = complex64", conj_gradient, "the complex conjugate"),
      test("IsNan", "whether x is NaN"),
      test("IsInf", "whether x is infinite"),
      test("IsFinite", "whether x is neither infinite nor NaN"),
      {"Softmax", "logits: T -> softmax: T", "T: floats", softmax_shape, softmax_gradient,
       OpFamily::kReduction, "exp(x) / sum(exp(x)) over the last dimension"},
      {"LogSoftmax", "logits: T -> logsoftmax: T", "T: floats", softmax_shape, log_softmax_gradient,
       OpFamily::kReduction, "the logarithm of Softmax, without overflow"},
  };
}

}  // namespace footlight
