// Rows of parts of complex numbers and their gradients.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"

namespace footlight {

namespace {

const Tensor& incoming(GradientCall& c) { return c.output_gradients[0]; }
DType part_of(DType t) { return t == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64; }
DType whole_of(DType t) { return t == DType::kFloat32 ? DType::kComplex64 : DType::kComplex128; }

Tensor part(const Op& op, const Tensor& x) { return apply(op, {x}, {{"Tout"_attr, part_of(x.dtype())}}); }
Tensor complex(const Tensor& re, const Tensor& im) {
  return apply("Complex"_op, {re, im}, {{"Tout"_attr, whole_of(re.dtype())}});
}
Tensor zero_like(const Tensor& x) { return ops::number(0, x.dtype()); }

void real_gradient(GradientCall& c) { c.input_gradients[0] = complex(incoming(c), zero_like(incoming(c))); }
void imag_gradient(GradientCall& c) { c.input_gradients[0] = complex(zero_like(incoming(c)), incoming(c)); }
// -g / (Im(x) + i Re(x))
void angle_gradient(GradientCall& c) {
  const Tensor& x = c.inputs[0];
  const Tensor z = ops::reciprocal(complex(part("Imag"_op, x), part("Real"_op, x)));
  c.input_gradients[0] = ops::mul(ops::neg(complex(incoming(c), zero_like(incoming(c)))), z);
}
void complex_gradient(GradientCall& c) {
  c.input_gradients[0] = ops::sum_to_shape_of(part("Real"_op, incoming(c)), c.inputs[0]);
  c.input_gradients[1] = ops::sum_to_shape_of(part("Imag"_op, incoming(c)), c.inputs[1]);
}

void part_shape(Inference& i) {
  infer::same(i);
  i.output_dtypes[0] = part_of(i.dtype(0));
}
void complex_shape(Inference& i) {
  infer::broadcast(i);
  i.output_dtypes[0] = whole_of(i.dtype(0));
}

RowDef part_row(const char* name, GradientFunction gradient, const char* doc) {
  return {name, "input: T -> output: Tout", "T: complex = complex64; Tout: type = float32", part_shape, gradient,
          OpFamily::kElementwise, doc};
}

}  // namespace

FL_ROWS(complex) {
  return {
      part_row("Real", real_gradient, "the real part"),
      part_row("Imag", imag_gradient, "the imaginary part"),
      part_row("Angle", angle_gradient, "the angle in the complex plane"),
      {"Complex", "real: T, imag: T -> out: Tout", "T: float32|float64 = float32; Tout: type = complex64",
       complex_shape, complex_gradient, OpFamily::kElementwise, "real + i imag, with broadcasting"},
  };
}

}  // namespace footlight
