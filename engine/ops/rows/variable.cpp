// Rows of variables.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"
#include "engine/tensor/variable.h"

namespace footlight {

namespace {

void read_shape(Inference& i) {
  const Variable* v = variable_of(i.inputs[0]);
  i.output_shapes[0] = v ? v->shape() : Shape::unknown_rank();
  if (v && v->dtype() != i.output_dtypes[0])
    invalid("the variable '", v->name(), "' has dtype ", name_of(v->dtype()), " and is read as ",
            name_of(i.output_dtypes[0]), " [Op:", i.row.name, "]");
}

void read_gradient(GradientCall& c) { c.input_gradients[0] = c.output_gradients[0]; }

void assign_shape(Inference& i) {
  if (const Variable* v = variable_of(i.inputs[0])) v->check(i.dtype(1), i.shape(1));
}

void update_shape(Inference& i) {
  const Variable* v = variable_of(i.inputs[0]);
  if (!v) return;
  if (v->dtype() != i.dtype(1))
    invalid("cannot compute ", i.row.name, ": the variable '", v->name(), "' has dtype ", name_of(v->dtype()),
            ", the value has ", name_of(i.dtype(1)), " [Op:", i.row.name, "]");
  if (!compatible(v->shape(), i.shape(1)))
    invalid("Cannot update variable '", v->name(), "' with shape ", v->shape().brackets(),
            " using a Tensor with shape ", i.shape(1).brackets(), ", shapes must be equal. [Op:", i.row.name,
            "]");
}

RowDef update(const char* name, const char* doc) {
  return {name,
          "resource: resource, value: dtype ->",
          "dtype: any",
          update_shape,
          nullptr,
          OpFamily::kVariable,
          doc,
          {.effect = Effect::kWrites, .dispatch = 1}};
}

}  // namespace

FL_ROWS(variable) {
  constexpr RowsOf variable_row{OpFamily::kVariable};
  return {
      variable_row("VarHandleOp", "-> resource: resource",
                   "container: string = ''; shared_name: string = ''; debug_name: string = ''; dtype: any; "
                   "shape: shape; allowed_devices: list(string) = []",
                   infer::scalar, nullptr, "a new variable", {.effect = Effect::kOther, .host_only = true}),
      variable_row("ReadVariableOp", "resource: resource -> value: dtype", "dtype: any", read_shape, read_gradient,
                   "the value of a variable",
                   {.effect = Effect::kReads, .takes_slices = true, .alias = Alias::kShares}),
      [] {
        RowDef d = update("AssignVariableOp", "gives a variable another value");
        d.attrs = "dtype: any; validate_shape: bool = false";
        d.infer = assign_shape;
        return d;
      }(),
      update("AssignAddVariableOp", "adds to a variable"),
      update("AssignSubVariableOp", "subtracts from a variable"),
      variable_row("VarIsInitializedOp", "resource: resource -> is_initialized: bool", "", infer::scalar, nullptr,
                   "whether a variable has a value", {.effect = Effect::kReads, .zero_gradient = true}),
      variable_row("VariableShape", "input: resource -> output: out_type", "out_type: index = int32", infer::vector,
                   nullptr, "the shape of a variable's value",
                   {.effect = Effect::kReads, .dispatch = 0, .zero_gradient = true}),
  };
}

}  // namespace footlight
