// Rows of two-input arithmetic and its gradients.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"

namespace footlight {

namespace {

using ops::sum_to_shape_of;

// Sets the gradients of a broadcasting op's inputs: sums `to_x` and `to_y` over the dimensions that were broadcast.
void set_broadcast_gradients(GradientCall& c, const Tensor& to_x, const Tensor& to_y) {
  if (to_x) c.input_gradients[0] = sum_to_shape_of(to_x, c.inputs[0]);
  if (to_y) c.input_gradients[1] = sum_to_shape_of(to_y, c.inputs[1]);
}

void add_gradient(GradientCall& c) { set_broadcast_gradients(c, c.output_gradients[0], c.output_gradients[0]); }

void sub_gradient(GradientCall& c) {
  set_broadcast_gradients(c, c.output_gradients[0], ops::neg(c.output_gradients[0]));
}

void mul_gradient(GradientCall& c) {
  const Tensor& g = c.output_gradients[0];
  set_broadcast_gradients(c, ops::mul(g, ops::conj(c.inputs[1])), ops::mul(ops::conj(c.inputs[0]), g));
}

// d(x/y) = dx/y - x/y/y dy
void div_gradient(GradientCall& c) {
  const Tensor& g = c.output_gradients[0];
  const Tensor x = ops::conj(c.inputs[0]);
  const Tensor y = ops::conj(c.inputs[1]);
  set_broadcast_gradients(c, ops::div(g, y), ops::mul(g, ops::div(ops::div(ops::neg(x), y), y)));
}

void div_no_nan_gradient(GradientCall& c) {
  static const Op op{"DivNoNan"};
  const Tensor& g = c.output_gradients[0];
  const Tensor x = ops::conj(c.inputs[0]);
  const Tensor y = ops::conj(c.inputs[1]);
  set_broadcast_gradients(c, apply(op, {g, y}), ops::mul(g, apply(op, {apply(op, {ops::neg(x), y}), y})));
}

void mul_no_nan_gradient(GradientCall& c) {
  const Tensor& g = c.output_gradients[0];
  set_broadcast_gradients(c, apply("MulNoNan"_op, {g, c.inputs[1]}), apply("MulNoNan"_op, {c.inputs[0], g}));
}

// For gradients of x f(y), which is 0 where x is 0: f(y), but 0 where x is 0; and x f'(y).
Tensor where_not_zero(const Op& op, const Tensor& x, const Tensor& y) {
  const Tensor there = ops::cast(apply("NotEqual"_op, {x, ops::number(0, x.dtype())}), x.dtype());
  return apply(op, {there, y});
}
void xlogy_gradient(GradientCall& c) {
  const Tensor &x = c.inputs[0], &y = c.inputs[1], &g = c.output_gradients[0];
  set_broadcast_gradients(c, ops::mul(where_not_zero("Xlogy"_op, x, y), g), ops::mul(apply("Xdivy"_op, {x, y}), g));
}
void xlog1py_gradient(GradientCall& c) {
  const Tensor &x = c.inputs[0], &y = c.inputs[1], &g = c.output_gradients[0];
  const Tensor slope = apply("Xdivy"_op, {x, ops::add(y, ops::number(1, y.dtype()))});
  set_broadcast_gradients(c, ops::mul(where_not_zero("Xlog1py"_op, x, y), g), ops::mul(slope, g));
}
void xdivy_gradient(GradientCall& c) {
  const Tensor &x = c.inputs[0], &y = c.inputs[1], &g = c.output_gradients[0];
  const Tensor slope = apply("Xdivy"_op, {ops::neg(x), ops::square(y)});
  set_broadcast_gradients(c, ops::mul(where_not_zero("Xdivy"_op, x, y), g), ops::mul(slope, g));
}

// The next number after x moves with x, so its derivative is 1.
void next_after_gradient(GradientCall& c) {
  c.input_gradients[0] = sum_to_shape_of(c.output_gradients[0], c.inputs[0]);
  c.input_gradients[1] = ops::zeros_like(c.inputs[1]);
}

// d(x - floor(x/y) y)
void floor_mod_gradient(GradientCall& c) {
  const Tensor& g = c.output_gradients[0];
  set_broadcast_gradients(c, g, ops::mul(g, ops::neg(apply("FloorDiv"_op, {c.inputs[0], c.inputs[1]}))));
}

// y x^(y-1) dx + log(x) x^y dy, with log(x) taken as 0 where x is not positive (complex: where it is 0).
void pow_gradient(GradientCall& c) {
  const Tensor& g = c.output_gradients[0];
  const Tensor x = ops::conj(c.inputs[0]);
  const Tensor y = ops::conj(c.inputs[1]);
  const Tensor z = ops::conj(c.outputs[0]);
  const DType t = x.dtype();
  const Tensor to_x = ops::mul(ops::mul(g, y), apply("Pow"_op, {x, ops::sub(y, ops::number(1, t))}));
  Tensor to_y;
  if (!c.inputs[1].body()->python_number) {
    const Tensor zero = ops::number(0, t);
    const Tensor defined = is_complex(t) ? apply("NotEqual"_op, {x, zero}) : ops::greater(x, zero);
    const Tensor safe = ops::where(defined, x, ops::ones_like(x));
    to_y = ops::mul(ops::mul(g, z), ops::where(defined, ops::log(safe), ops::zeros_like(x)));
  }
  set_broadcast_gradients(c, to_x, to_y);
}

// The gradient goes to the input that was selected; to x if both are equal.
void choose_gradient(GradientCall& c, const Op& chooses_x) {
  const Tensor& g = c.output_gradients[0];
  const Tensor x_taken = apply(chooses_x, {c.inputs[0], c.inputs[1]});
  const Tensor zero = ops::number(0, g.dtype());
  set_broadcast_gradients(c, ops::where(x_taken, g, zero), ops::where(x_taken, zero, g));
}
void maximum_gradient(GradientCall& c) { choose_gradient(c, "GreaterEqual"_op); }
void minimum_gradient(GradientCall& c) { choose_gradient(c, "LessEqual"_op); }

void squared_difference_gradient(GradientCall& c) {
  const Tensor g = ops::mul(ops::mul(ops::number(2, c.output_gradients[0].dtype()), c.output_gradients[0]),
                            ops::sub(c.inputs[0], c.inputs[1]));
  set_broadcast_gradients(c, g, ops::neg(g));
}

void add_n_gradient(GradientCall& c) { for (Tensor& t : c.input_gradients) t = c.output_gradients[0]; }

void add_n_shape(Inference& i) {
  if (i.inputs.empty()) invalid("AddN needs at least one tensor [Op:AddN]");
  Shape out = i.shape(0);
  for (size_t k = 1; k < i.inputs.size(); ++k) {
    if (!compatible(out, i.shape(k)))
      invalid("the tensors of AddN must have one shape: number 0 has ", i.shape(0).to_string(), ", number ", k, " has ",
              i.shape(k).to_string(), " [Op:AddN]");
    out = merge(out, i.shape(k));
  }
  i.output_shapes[0] = out;
}

// The gradient goes to a bound where t is outside of it, else to t.
void clip_gradient(GradientCall& c) {
  const Tensor& g = c.output_gradients[0];
  const Tensor zero = ops::zeros_like(g);
  const Tensor below = ops::less(c.inputs[0], c.inputs[1]);
  const Tensor above = ops::greater(c.inputs[0], c.inputs[2]);
  c.input_gradients[0] = ops::where(apply("LogicalOr"_op, {below, above}), zero, g);
  c.input_gradients[1] = sum_to_shape_of(ops::where(below, g, zero), c.inputs[1]);
  c.input_gradients[2] = sum_to_shape_of(ops::where(above, g, zero), c.inputs[2]);
}

void clip_shape(Inference& i) {
  for (size_t k = 1; k < 3; ++k)
    if (i.shape(k).has_rank() && i.shape(k).rank() != 0 && !compatible(i.shape(0), i.shape(k)))
      invalid(i.row.inputs[k].name, " must be a scalar or have the shape of t, ", i.shape(0).to_string(), ", not ",
              i.shape(k).to_string(), " [Op:ClipByValue]");
  infer::same(i);
}

RowDef binary(const char* name, const char* types, GradientFunction gradient, const char* doc) {
  return {name, "x: T, y: T -> z: T", types, infer::broadcast, gradient, OpFamily::kElementwise, doc,
          {.fast = FastPath::kBinary}};
}
RowDef series(const char* name, const char* types, GradientFunction gradient, const char* doc) {
  RowDef def = binary(name, types, gradient, doc);
  def.properties.flops = flops::kSeries;
  return def;
}
// A row whose op returns one of two elements unchanged.
RowDef selection(const char* name, GradientFunction gradient, const char* doc) {
  RowDef def = binary(name, "T: real", gradient, doc);
  def.properties.copies_elements = true;
  return def;
}

}  // namespace

FL_ROWS(arithmetic) {
  return {
      binary("AddV2", "T: numbers|string", add_gradient, "x + y, with broadcasting; joins strings"),
      binary("Sub", "T: numbers", sub_gradient, "x - y, with broadcasting"),
      binary("Mul", "T: numbers", mul_gradient, "x * y, with broadcasting"),
      binary("RealDiv", "T: floatcomplex", div_gradient, "x / y, with broadcasting"),
      binary("DivNoNan", "T: floatcomplex", div_no_nan_gradient, "x / y, and 0 where y is 0"),
      [] {
        RowDef d = binary("FloorDiv", "T: real", nullptr, "x // y: rounds towards minus infinity");
        d.properties.zero_gradient = true;
        return d;
      }(),
      binary("FloorMod", "T: real", floor_mod_gradient, "x % y: has the sign of y"),
      [] {
        RowDef d = binary("TruncateDiv", "T: numbers", nullptr, "x / y, rounded towards 0");
        d.properties.zero_gradient = true;
        return d;
      }(),
      binary("TruncateMod", "T: floats|index", nullptr, "the remainder of x / y, with the sign of x"),
      binary("MulNoNan", "T: floatcomplex", mul_no_nan_gradient, "x * y, and 0 where y is 0"),
      binary("Xdivy", "T: floatcomplex", xdivy_gradient, "x / y, and 0 where x is 0"),
      series("Xlogy", "T: floatcomplex", xlogy_gradient, "x * log(y), and 0 where x is 0"),
      series("Xlog1py", "T: floatcomplex", xlog1py_gradient, "x * log(1 + y), and 0 where x is 0"),
      {"NextAfter", "x1: T, x2: T -> output: T", "T: float32|float64 = float32", infer::broadcast,
       next_after_gradient, OpFamily::kElementwise, "the number next to x1 on the way to x2",
       {.fast = FastPath::kBinary}},
      {"ClipByValue", "t: T, clip_value_min: T, clip_value_max: T -> output: T", "T: numbers", clip_shape,
       clip_gradient, OpFamily::kElementwise, "t, clipped to the range from minimum to maximum"},
      series("Pow", "T: floatcomplex|signed", pow_gradient, "x ** y, with broadcasting"),
      selection("Maximum", maximum_gradient, "the larger of x and y; NaN if either is"),
      selection("Minimum", minimum_gradient, "the smaller of x and y; NaN if either is"),
      binary("SquaredDifference", "T: floatcomplex|index", squared_difference_gradient, "(x - y) squared"),
      {"AddN", "inputs: N*T -> sum: T", "N: int; T: numbers|variant", add_n_shape, add_n_gradient,
       OpFamily::kElementwise, "the sum of tensors of the same shape"},
  };
}

}  // namespace footlight
