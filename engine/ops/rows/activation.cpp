// Rows of activation functions and their gradients.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"

namespace footlight {

namespace {

using ops::mul;

const Tensor& incoming(GradientCall& c) { return c.output_gradients[0]; }

// These gradients are ops of the incoming gradient and the forward op's input, or its output.
void relu6_gradient(GradientCall& c) { c.input_gradients[0] = apply("Relu6Grad"_op, {incoming(c), c.outputs[0]}); }
void elu_gradient(GradientCall& c) { c.input_gradients[0] = apply("EluGrad"_op, {incoming(c), c.outputs[0]}); }
void selu_gradient(GradientCall& c) { c.input_gradients[0] = apply("SeluGrad"_op, {incoming(c), c.outputs[0]}); }
void softsign_gradient(GradientCall& c) { c.input_gradients[0] = apply("SoftsignGrad"_op, {incoming(c), c.inputs[0]}); }
void softplus_gradient(GradientCall& c) { c.input_gradients[0] = mul(incoming(c), apply("Sigmoid"_op, {c.inputs[0]})); }
void leaky_relu_gradient(GradientCall& c) {
  c.input_gradients[0] = apply("LeakyReluGrad"_op, {incoming(c), c.inputs[0]}, c.attrs);
}

// Second-order gradients. The ops are linear in the incoming gradient (input 0); in the other input they are piecewise
// constant, or an exponential.
void relu6_grad_gradient(GradientCall& c) {
  c.input_gradients[0] = apply("Relu6Grad"_op, {incoming(c), c.inputs[1]});
  c.input_gradients[1] = ops::zeros_like(c.inputs[1]);
}
void leaky_relu_grad_gradient(GradientCall& c) {
  c.input_gradients[0] = apply("LeakyReluGrad"_op, {incoming(c), c.inputs[1]}, c.attrs);
  c.input_gradients[1] = ops::zeros_like(c.inputs[1]);
}
void exponential_grad_gradient(GradientCall& c, const Op& op) {
  const Tensor& y = c.inputs[1];
  c.input_gradients[0] = apply(op, {incoming(c), y});
  c.input_gradients[1] = ops::where(ops::less(y, ops::number(0, y.dtype())), mul(incoming(c), c.inputs[0]),
                                    ops::zeros_like(y));
}
void elu_grad_gradient(GradientCall& c) { exponential_grad_gradient(c, "EluGrad"_op); }
void selu_grad_gradient(GradientCall& c) { exponential_grad_gradient(c, "SeluGrad"_op); }
// dy / (1 + exp(-x)), whose derivative in x is dy / (exp(-x) + 2 + exp(x))
void softplus_grad_gradient(GradientCall& c) {
  const Tensor& x = c.inputs[1];
  c.input_gradients[0] = apply("SoftplusGrad"_op, {incoming(c), x});
  const Tensor sum = ops::add(ops::add(ops::exp(ops::neg(x)), ops::number(2, x.dtype())), ops::exp(x));
  c.input_gradients[1] = ops::div(mul(incoming(c), c.inputs[0]), sum);
}
// dy / (1 + |x|)^2, whose derivative in x is -2 sign(x) dy / (1 + |x|)^3
void softsign_grad_gradient(GradientCall& c) {
  const Tensor& x = c.inputs[1];
  c.input_gradients[0] = apply("SoftsignGrad"_op, {incoming(c), x});
  const Tensor first = apply("SoftsignGrad"_op, {mul(incoming(c), c.inputs[0]), x});
  const Tensor d = ops::add(ops::number(1, x.dtype()), apply("Abs"_op, {x}));
  c.input_gradients[1] = mul(ops::number(-2, x.dtype()), mul(apply("Sign"_op, {x}), ops::div(first, d)));
}

RowDef forward(const char* name, const char* types, GradientFunction gradient, const char* doc) {
  return {name, "features: T -> activations: T", types, infer::same, gradient, OpFamily::kElementwise, doc,
          {.fast = FastPath::kUnary}};
}
RowDef series(const char* name, GradientFunction gradient, const char* doc) {
  RowDef def = forward(name, "T: floats", gradient, doc);
  def.properties.flops = flops::kSeries;
  return def;
}
RowDef backward(const char* name, const char* other, const char* types, GradientFunction gradient, const char* doc) {
  return {name, other, types, infer::broadcast, gradient, OpFamily::kElementwise, doc, {.fast = FastPath::kBinary}};
}

}  // namespace

FL_ROWS(activation) {
  constexpr const char* kFloats = "T: floats";
  constexpr const char* kOfInput = "gradients: T, features: T -> backprops: T";
  constexpr const char* kOfOutput = "gradients: T, outputs: T -> backprops: T";
  return {
      forward("Relu6", "T: real", relu6_gradient, "min(max(x, 0), 6)"),
      backward("Relu6Grad", kOfInput, "T: real", relu6_grad_gradient, "the gradients where 0 < features < 6"),
      series("Elu", elu_gradient, "x, and exp(x) - 1 below 0"),
      backward("EluGrad", kOfOutput, kFloats, elu_grad_gradient, "the gradient of Elu, from what it gave"),
      series("Selu", selu_gradient, "a scaled Elu that keeps mean 0 and variance 1"),
      backward("SeluGrad", kOfOutput, kFloats, selu_grad_gradient, "the gradient of Selu, from what it gave"),
      {"LeakyRelu", "features: T -> activations: T", "alpha: float = 0.2; T: floats = float32", infer::same,
       leaky_relu_gradient, OpFamily::kElementwise, "x, and alpha x below 0"},
      {"LeakyReluGrad", kOfInput, "alpha: float = 0.2; T: floats = float32", infer::same, leaky_relu_grad_gradient,
       OpFamily::kElementwise, "the gradients, times alpha where features <= 0"},
      series("Softplus", softplus_gradient, "log(1 + exp(x))"),
      backward("SoftplusGrad", kOfInput, kFloats, softplus_grad_gradient, "the gradient of Softplus"),
      forward("Softsign", kFloats, softsign_gradient, "x / (1 + |x|)"),
      backward("SoftsignGrad", kOfInput, kFloats, softsign_grad_gradient, "the gradient of Softsign"),
  };
}

}  // namespace footlight
