// Rows of running sums, products and logsumexps along one dimension.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"

#include <limits>

namespace footlight {

namespace {

void cumulative_shape(Inference& i) {
  infer::check_rank(i, 1, 0);
  const Shape& s = i.shape(0);
  i.output_shapes[0] = s;
  const auto axis = infer::constant_ints(i, 1);
  if (!axis || !s.has_rank()) return;
  const int64_t a = axis->front();
  if (a < -s.rank() || a >= s.rank())
    invalid("Expected scan axis in the range [", -s.rank(), ", ", s.rank(), "), but got ", a, ": the shape is ",
            s.to_string(), " [Op:", i.row.name, "]");
}

Attrs attrs_of(const GradientCall& c, bool reversed) {
  return {{"exclusive"_attr, c.attrs.get_or("exclusive"_attr, false)},
          {"reverse"_attr, c.attrs.get_or("reverse"_attr, false) != reversed}};
}

void sum_gradient(GradientCall& c) {
  c.input_gradients[0] = apply("Cumsum"_op, {c.output_gradients[0], c.inputs[1]}, attrs_of(c, true));
}

// The gradient is 0 where x is 0, because there the product of the others cannot be recovered by division.
void product_gradient(GradientCall& c) {
  const Tensor y = apply("Cumprod"_op, {c.inputs[0], c.inputs[1]}, attrs_of(c, false));
  const Tensor g = apply("Cumsum"_op, {ops::mul(y, c.output_gradients[0]), c.inputs[1]}, attrs_of(c, true));
  c.input_gradients[0] = apply("DivNoNan"_op, {g, c.inputs[0]});
}

// exp(x) times the running sum of g * exp(-y), in the log domain: the positive and negative parts of g separately.
void logsumexp_gradient(GradientCall& c) {
  const Tensor& g = c.output_gradients[0];
  const DType t = g.dtype();
  const double lowest = t == DType::kFloat64    ? std::numeric_limits<double>::lowest()
                        : t == DType::kFloat16  ? -65504.0
                        : t == DType::kBFloat16 ? -0x1.fep127
                                                : static_cast<double>(std::numeric_limits<float>::lowest());
  const auto part = [&](const Tensor& of) {
    const Tensor logs =
        ops::where(ops::greater(of, ops::number(0, t)), ops::log(of), ops::number(lowest, t));
    const Tensor sums = apply("CumulativeLogsumexp"_op, {ops::sub(logs, c.outputs[0]), c.inputs[1]}, attrs_of(c, true));
    return ops::exp(ops::add(sums, c.inputs[0]));
  };
  c.input_gradients[0] = ops::sub(part(g), part(ops::neg(g)));
}

}  // namespace

FL_ROWS(cumulative) {
  constexpr const char* kNumbers = "exclusive: bool = false; reverse: bool = false; T: numbers; Tidx: index = int32";
  constexpr const char* kFloats = "exclusive: bool = false; reverse: bool = false; T: floats; Tidx: index = int32";
  constexpr const char* kSignature = "x: T, axis: Tidx -> out: T";
  constexpr RowDef::Properties kAxisOnHost{.host_inputs = 2};
  return {
      {"Cumsum", kSignature, kNumbers, cumulative_shape, sum_gradient, OpFamily::kReduction,
       "running sums along one dimension", kAxisOnHost},
      {"Cumprod", kSignature, kNumbers, cumulative_shape, product_gradient, OpFamily::kReduction,
       "running products along one dimension", kAxisOnHost},
      {"CumulativeLogsumexp", kSignature, kFloats, cumulative_shape, logsumexp_gradient, OpFamily::kReduction,
       "logarithms of running sums of exponentials along one dimension", kAxisOnHost},
  };
}

}  // namespace footlight
