// Rows of unary functions and their gradients.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"
#include "engine/ops/indexed_slices.h"

namespace footlight {

namespace {

using ops::conj;
using ops::mul;

const Tensor& incoming(GradientCall& c) { return c.output_gradients[0]; }

void neg_gradient(GradientCall& c) { c.input_gradients[0] = ops::map_rows(incoming(c), ops::neg); }

void abs_gradient(GradientCall& c) { c.input_gradients[0] = mul(incoming(c), apply("Sign"_op, {c.inputs[0]})); }

// The gradient is zero everywhere: a tensor of zeros, which differs from no gradient.
void sign_gradient(GradientCall& c) { c.input_gradients[0] = ops::zeros_like(c.inputs[0]); }

// g x / |x|, and 0 at 0.
void complex_abs_gradient(GradientCall& c) {
  const DType t = c.inputs[0].dtype();
  c.input_gradients[0] =
      apply("DivNoNan"_op, {mul(ops::cast(incoming(c), t), c.inputs[0]), ops::cast(c.outputs[0], t)}, {}, "div_no_nan");
}

void square_gradient(GradientCall& c) {
  c.input_gradients[0] = mul(incoming(c), mul(ops::number(2, c.inputs[0].dtype()), conj(c.inputs[0])));
}

// The gradients of these three are ops of the output y and the incoming gradient dy.
void reciprocal_gradient(GradientCall& c) {
  c.input_gradients[0] = apply("ReciprocalGrad"_op, {c.outputs[0], incoming(c)});
}
void sqrt_gradient(GradientCall& c) { c.input_gradients[0] = apply("SqrtGrad"_op, {c.outputs[0], incoming(c)}); }
void rsqrt_gradient(GradientCall& c) { c.input_gradients[0] = apply("RsqrtGrad"_op, {c.outputs[0], incoming(c)}); }

// z = -dy conj(y)^2
void reciprocal_grad_gradient(GradientCall& c) {
  const Tensor y = conj(c.inputs[0]);
  const Tensor g = mul(conj(incoming(c)), ops::number(-2, y.dtype()));
  c.input_gradients[0] = mul(mul(g, c.inputs[1]), y);
  c.input_gradients[1] = apply("ReciprocalGrad"_op, {y, incoming(c)});
}
// z = dy / (2 conj(y))
void sqrt_grad_gradient(GradientCall& c) {
  const Tensor g = ops::div(incoming(c), c.inputs[0]);
  c.input_gradients[0] = mul(ops::neg(conj(g)), c.outputs[0]);
  c.input_gradients[1] = mul(ops::number(0.5, g.dtype()), g);
}
// z = -1/2 dy conj(y)^3
void rsqrt_grad_gradient(GradientCall& c) {
  const Tensor y = conj(c.inputs[0]);
  const Tensor g = mul(ops::number(-1.5, y.dtype()), conj(incoming(c)));
  c.input_gradients[0] = mul(mul(g, c.inputs[1]), ops::square(y));
  c.input_gradients[1] = apply("RsqrtGrad"_op, {y, incoming(c)});
}

void exp_gradient(GradientCall& c) { c.input_gradients[0] = mul(incoming(c), conj(c.outputs[0])); }

void expm1_gradient(GradientCall& c) { c.input_gradients[0] = mul(incoming(c), ops::exp(conj(c.inputs[0]))); }

void log_gradient(GradientCall& c) { c.input_gradients[0] = mul(incoming(c), ops::reciprocal(conj(c.inputs[0]))); }

void log1p_gradient(GradientCall& c) {
  c.input_gradients[0] =
      mul(incoming(c), ops::reciprocal(ops::add(ops::number(1, c.inputs[0].dtype()), conj(c.inputs[0]))));
}

void tanh_gradient(GradientCall& c) { c.input_gradients[0] = apply("TanhGrad"_op, {conj(c.outputs[0]), incoming(c)}); }

// z = dy (1 - y^2)
void tanh_grad_gradient(GradientCall& c) {
  const Tensor y = conj(c.inputs[0]);
  const Tensor dy = conj(c.inputs[1]);
  c.input_gradients[0] = mul(mul(mul(incoming(c), ops::number(-2, y.dtype())), dy), y);
  c.input_gradients[1] = apply("TanhGrad"_op, {y, incoming(c)});
}

void sigmoid_gradient(GradientCall& c) {
  c.input_gradients[0] = apply("SigmoidGrad"_op, {conj(c.outputs[0]), incoming(c)});
}

// z = dy y (1 - y)
void sigmoid_grad_gradient(GradientCall& c) {
  const Tensor y = conj(c.inputs[0]);
  const Tensor dy = conj(c.inputs[1]);
  const Tensor slope = ops::sub(ops::number(1, y.dtype()), mul(ops::number(2, y.dtype()), y));
  c.input_gradients[0] = mul(mul(incoming(c), dy), slope);
  c.input_gradients[1] = apply("SigmoidGrad"_op, {y, incoming(c)});
}

void relu_gradient(GradientCall& c) { c.input_gradients[0] = apply("ReluGrad"_op, {incoming(c), c.outputs[0]}); }

void relu_grad_gradient(GradientCall& c) {
  c.input_gradients[0] = apply("ReluGrad"_op, {incoming(c), c.inputs[1]});
  c.input_gradients[1] = ops::zeros_like(c.inputs[1]);
}

void sin_gradient(GradientCall& c) { c.input_gradients[0] = mul(incoming(c), apply("Cos"_op, {conj(c.inputs[0])})); }

void cos_gradient(GradientCall& c) {
  c.input_gradients[0] = ops::neg(mul(incoming(c), apply("Sin"_op, {conj(c.inputs[0])})));
}

void conj_gradient(GradientCall& c) { c.input_gradients[0] = conj(incoming(c)); }

// The op works on the last dimension, unless the attribute says another: eager calls set it, where a graph has
// transposes.
void softmax_shape(Inference& i) {
  if (i.shape(0).has_rank() && i.shape(0).rank() == 0)
    invalid(i.row.name, " needs a tensor of at least 1 dimension, got a scalar [Op:", i.row.name, "]");
  const int64_t axis = i.attrs.get_or("_axis"_attr, int64_t{-1});
  const Shape& shape = i.shape(0);
  if (shape.has_rank() && (axis < -shape.rank() || axis >= shape.rank()))
    invalid("axis ", axis, " is outside of [-", shape.rank(), ", ", shape.rank(), ") of logits with shape ",
            shape.to_string(), " [Op:", i.row.name, "]");
  infer::same(i);
}

// (g - sum(g y)) y over the dimension
void softmax_gradient(GradientCall& c) {
  const Tensor& y = c.outputs[0];
  const Tensor& g = incoming(c);
  const Tensor axis = ops::ints({c.attrs.get_or("_axis"_attr, int64_t{-1})});
  c.input_gradients[0] = mul(ops::sub(g, ops::sum(mul(g, y), axis, true)), y);
}

void log_softmax_gradient(GradientCall& c) {
  const Tensor& g = incoming(c);
  const Tensor axis = ops::ints({c.attrs.get_or("_axis"_attr, int64_t{-1})});
  c.input_gradients[0] = ops::sub(g, mul(ops::sum(g, axis, true), ops::exp(c.outputs[0])));
}

// sum(t^2) / 2
void l2_loss_gradient(GradientCall& c) { c.input_gradients[0] = mul(c.inputs[0], incoming(c)); }

void complex_abs_shape(Inference& i) {
  infer::same(i);
  i.output_dtypes[0] = i.dtype(0) == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
}

RowDef unary(const char* name, const char* types, GradientFunction gradient, const char* doc) {
  return {name, "x: T -> y: T", types, infer::same, gradient, OpFamily::kElementwise, doc, {.fast = FastPath::kUnary}};
}
RowDef series(const char* name, const char* types, GradientFunction gradient, const char* doc) {
  RowDef def = unary(name, types, gradient, doc);
  def.properties.flops = flops::kSeries;
  return def;
}
RowDef stepwise(const char* name, const char* types, const char* doc) {
  RowDef def = unary(name, types, nullptr, doc);
  def.properties.zero_gradient = true;
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
      [] {
        RowDef def = unary("Neg", "T: floatcomplex|signed", neg_gradient, "-x");
        def.properties.takes_slices = true;
        return def;
      }(),
      unary("Abs", "T: floats|signed", abs_gradient, "the absolute value"),
      {"ComplexAbs", "x: T -> y: Tout", "T: complex = complex64; Tout: type = float32", complex_abs_shape,
       complex_abs_gradient, OpFamily::kElementwise, "the absolute value of complex numbers"},
      unary("Sign", "T: floatcomplex|signed", sign_gradient, "-1, 0 or 1; of a complex number x / |x|"),
      unary("Square", "T: numbers", square_gradient, "x * x"),
      unary("Reciprocal", kFloat, reciprocal_gradient, "1 / x"),
      unary("Sqrt", kFloat, sqrt_gradient, "the square root"),
      unary("Rsqrt", kFloat, rsqrt_gradient, "1 / the square root"),
      gradient_of("ReciprocalGrad", "y: T, dy: T -> z: T", kFloat, reciprocal_grad_gradient, "-dy * y * y"),
      gradient_of("SqrtGrad", "y: T, dy: T -> z: T", kFloat, sqrt_grad_gradient, "dy * 0.5 / y"),
      gradient_of("RsqrtGrad", "y: T, dy: T -> z: T", kFloat, rsqrt_grad_gradient, "dy * -0.5 * y ** 3"),
      series("Exp", kFloat, exp_gradient, "e to the power of x"),
      series("Expm1", kFloat, expm1_gradient, "exp(x) - 1, exact near 0"),
      series("Log", kFloat, log_gradient, "the natural logarithm"),
      series("Log1p", kFloat, log1p_gradient, "log(1 + x), exact near 0"),
      series("Tanh", kFloat, tanh_gradient, "the hyperbolic tangent"),
      gradient_of("TanhGrad", "y: T, dy: T -> z: T", kFloat, tanh_grad_gradient, "dy * (1 - y * y)"),
      series("Sigmoid", kFloat, sigmoid_gradient, "1 / (1 + exp(-x))"),
      gradient_of("SigmoidGrad", "y: T, dy: T -> z: T", kFloat, sigmoid_grad_gradient, "dy * y * (1 - y)"),
      series("Sin", kFloat, sin_gradient, "the sine"),
      series("Cos", kFloat, cos_gradient, "the cosine"),
      stepwise("Floor", "T: floats", "the next integer below"),
      stepwise("Ceil", "T: floats", "the next integer above"),
      stepwise("Round", "T: floats|signed", "the nearest integer, halves to even"),
      stepwise("Rint", "T: floats", "the nearest integer, halves to even"),
      {"Relu", "features: T -> activations: T", "T: real", infer::same, relu_gradient, OpFamily::kElementwise,
       "max(x, 0)", {.fast = FastPath::kUnary}},
      gradient_of("ReluGrad", "gradients: T, features: T -> backprops: T", "T: real", relu_grad_gradient,
                  "the gradients where features > 0"),
      {"Conj", "input: T -> output: T", "T: complex = complex64", infer::same, conj_gradient, OpFamily::kElementwise,
       "the complex conjugate", {.fast = FastPath::kUnary}},
      test("IsNan", "whether x is NaN"),
      test("IsInf", "whether x is infinite"),
      test("IsFinite", "whether x is neither infinite nor NaN"),
      {"L2Loss", "t: T -> output: T", "T: floats", infer::scalar, l2_loss_gradient, OpFamily::kReduction,
       "half of the sum of the squares"},
      {"Softmax", "logits: T -> softmax: T", "T: floats", softmax_shape, softmax_gradient,
       OpFamily::kReduction, "exp(x) / sum(exp(x)) over the last dimension", {.flops = flops::each_input<13>}},
      {"LogSoftmax", "logits: T -> logsoftmax: T", "T: floats", softmax_shape, log_softmax_gradient,
       OpFamily::kReduction, "the logarithm of Softmax, without overflow", {.flops = flops::each_input<14>}},
  };
}

}  // namespace footlight
