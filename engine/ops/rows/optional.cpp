// Rows of optional tensors. A branch returns one for a value that only the other branch has; graphs in files use them.
#include "engine/ops/builder.h"
#include "engine/ops/define.h"

namespace footlight {
namespace {

void value_shapes(Inference& i) {
  const auto shapes = i.attrs.get_or("output_shapes"_attr, std::vector<Shape>());
  for (size_t k = 0; k < i.output_shapes.size(); ++k)
    i.output_shapes[k] = k < shapes.size() ? shapes[k] : Shape::unknown_rank();
}

// The gradient of an optional from values is an optional of gradients, and the other way round.
void put_gradient(GradientCall& c) {
  if (!c.output_gradients[0]) return;
  std::vector<DType> types;
  std::vector<Shape> shapes;
  for (const Tensor& input : c.inputs) {
    types.push_back(input.dtype());
    shapes.push_back(input.shape());
  }
  const std::vector<Tensor> values =
      apply_all("OptionalGetValue"_op.row(), c.output_gradients,
                {{"output_types"_attr, std::move(types)}, {"output_shapes"_attr, std::move(shapes)}});
  for (size_t k = 0; k < values.size(); ++k)
    if (is_floating(c.inputs[k].dtype()) || is_complex(c.inputs[k].dtype())) c.input_gradients[k] = values[k];
}

void get_gradient(GradientCall& c) {
  std::vector<Tensor> arrived(c.output_gradients.begin(), c.output_gradients.end());
  for (size_t k = 0; k < arrived.size(); ++k)
    if (!arrived[k]) arrived[k] = apply("ZerosLike"_op, {c.outputs[k]});
  c.input_gradients[0] = apply_all("OptionalFromValue"_op.row(), arrived, {})[0];
}

}  // namespace

FL_ROWS(optional) {
  constexpr RowsOf control_row{OpFamily::kControl};
  return {
      control_row("OptionalFromValue", "components: Toutput_types[] -> optional: variant", "Toutput_types: list(type)",
                  infer::scalar, put_gradient, "an optional that has values", {.dispatch = -1}),
      control_row("OptionalNone", "-> optional: variant", "", infer::scalar, nullptr, "an optional without values",
                  {.zero_gradient = true}),
      control_row("OptionalHasValue", "optional: variant -> has_value: bool", "", infer::scalar, nullptr,
                  "whether an optional has values", {.zero_gradient = true}),
      control_row("OptionalGetValue", "optional: variant -> components: output_types[]",
                  "output_types: list(type); output_shapes: list(shape)", value_shapes, get_gradient,
                  "the values of an optional"),
  };
}

}  // namespace footlight
