// Rows of two-input arithmetic and its gradients.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"

namespace footlight {

namespace {

using ops::sum_to_shape_of;

// Sets the gradient of a broadcasting op's inputs from what flows into each before the broadcast is undone.
void flow(GradientCall& c, const Tensor& to_x, const Tensor& to_y) {
  if (to_x) c.input_gradients[0] = sum_to_shape_of(to_x, c.inputs[0]);
  if (to_y) c.input_gradients[1] = sum_to_shape_of(to_y, c.inputs[1]);
}

void add_gradient(GradientCall& c) { flow(c, c.output_gradients[0], c.output_gradients[0]); }

void sub_gradient(GradientCall& c) { flow(c, c.output_gradients[0], ops::neg(c.output_gradients[0])); }

void mul_gradient(GradientCall& c) {
  const Tensor& g = c.output_gradients[0];
  flow(c, ops::mul(g, ops::conj(c.inputs[1])), ops::mul(ops::conj(c.inputs[0]), g));
}

// d(x/y) = dx/y - x/y/y dy
void div_gradient(GradientCall& c) {
  const Tensor& g = c.output_gradients[0];
  const Tensor x = ops::conj(c.inputs[0]);
  const Tensor y = ops::conj(c.inputs[1]);
  flow(c, ops::div(g, y), ops::mul(g, ops::div(ops::div(ops::neg(x), y), y)));
}

void div_no_nan_gradient(GradientCall& c) {
  static const Op op{"DivNoNan"};
  const Tensor& g = c.output_gradients[0];
  const Tensor x = ops::conj(c.inputs[0]);
  const Tensor y = ops::conj(c.inputs[1]);
  flow(c, apply(op, {g, y}), ops::mul(g, apply(op, {apply(op, {ops::neg(x), y}), y})));
}

// d(x - floor(x/y) y)
void floor_mod_gradient(GradientCall& c) {
  static const Op floor_div{"FloorDiv"};
  const Tensor& g = c.output_gradients[0];
  flow(c, g, ops::mul(g, ops::neg(apply(floor_div, {c.inputs[0], c.inputs[1]}))));
}

// y x^(y-1) dx + log(x) x^y dy, the logarithm taken as 0 where x is not positive (of complex x: where it is 0).
void pow_gradient(GradientCall& c) {
  static const Op pow{"Pow"};
  static const Op log{"Log"};
  static const Op greater{"Greater"};
  static const Op not_equal{"NotEqual"};
  const Tensor& g = c.output_gradients[0];
  const Tensor x = ops::conj(c.inputs[0]);
  const Tensor y = ops::conj(c.inputs[1]);
  const Tensor z = ops::conj(c.outputs[0]);
  const DType t = x.dtype();
  const Tensor to_x = ops::mul(ops::mul(g, y), apply(pow, {x, ops::sub(y, ops::number(1, t))}));
  Tensor to_y;
  if (!c.inputs[1].body()->python_number) {
    const Tensor zero = ops::number(0, t);
    const Tensor defined = is_complex(t) ? apply(not_equal, {x, zero}) : apply(greater, {x, zero});
    const Tensor safe = ops::where(defined, x, ops::ones_like(x));
    to_y = ops::mul(ops::mul(g, z), ops::where(defined, apply(log, {safe}), ops::zeros_like(x)));
  }
  flow(c, to_x, to_y);
}

// Goes to the one that was taken; of equal ones to x.
void choose_gradient(GradientCall& c, const Op& chooses_x) {
  const Tensor& g = c.output_gradients[0];
  const Tensor x_taken = apply(chooses_x, {c.inputs[0], c.inputs[1]});
  const Tensor zero = ops::number(0, g.dtype());
  flow(c, ops::where(x_taken, g, zero), ops::where(x_taken, zero, g));
}
void maximum_gradient(GradientCall& c) {
  static const Op op{"GreaterEqual"};
  choose_gradient(c, op);
}
void minimum_gradient(GradientCall& c) {
  static const Op op{"LessEqual"};
  choose_gradient(c, op);
}

void squared_difference_gradient(GradientCall& c) {
  const Tensor g = ops::mul(ops::mul(ops::number(2, c.output_gradients[0].dtype()), c.output_gradients[0]),
                            ops::sub(c.inputs[0], c.inputs[1]));
  flow(c, g, ops::neg(g));
}

void add_n_gradient(GradientCall& c) {
  for (Tensor& t : c.input_gradients) t = c.output_gradients[0];
}

void add_n_shape(Inference& i) {
  Shape out = i.shape(0);
  for (size_t k = 1; k < i.inputs.size(); ++k) {
    if (!compatible(out, i.shape(k)))
      invalid("the tensors of AddN must have one shape: number 0 has ", i.shape(0).to_string(), ", number ", k, " has ",
              i.shape(k).to_string(), " [Op:AddN]");
    out = merge(out, i.shape(k));
  }
  i.output_shapes[0] = out;
}

RowDef binary(const char* name, const char* types, GradientFunction gradient, const char* doc) {
  return {name, "x: T, y: T -> z: T", types, infer::broadcast, gradient, OpFamily::kElementwise, doc,
          {.fast = FastPath::kBinary}};
}

}  // namespace

FL_ROWS(arithmetic) {
  return {
      binary("AddV2", "T: numbers|string", add_gradient, "x + y, with broadcasting; joins strings"),
      binary("Sub", "T: numbers", sub_gradient, "x - y, with broadcasting"),
      binary("Mul", "T: numbers|bool", mul_gradient, "x * y, with broadcasting"),
      binary("RealDiv", "T: floatcomplex", div_gradient, "x / y, with broadcasting"),
      binary("DivNoNan", "T: floatcomplex", div_no_nan_gradient, "x / y, and 0 where y is 0"),
      [] {
        RowDef d = binary("FloorDiv", "T: real", nullptr, "x // y: rounds towards minus infinity");
        d.more.zero_gradient = true;
        return d;
      }(),
      binary("FloorMod", "T: real", floor_mod_gradient, "x % y: has the sign of y"),
      binary("Pow", "T: numbers", pow_gradient, "x ** y, with broadcasting"),
      binary("Maximum", "T: real", maximum_gradient, "the larger of x and y; NaN if either is"),
      binary("Minimum", "T: real", minimum_gradient, "the smaller of x and y; NaN if either is"),
      binary("SquaredDifference", "T: numbers", squared_difference_gradient, "(x - y) squared"),
      {"AddN", "inputs: N*T -> sum: T", "N: int; T: numbers", add_n_shape, add_n_gradient, OpFamily::kElementwise,
       "the sum of tensors of one shape"},
  };
}

}  // namespace footlight
