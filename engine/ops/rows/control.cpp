// Ops that hold graphs, and ops that only structure a graph. The runtime executes them itself: they have no kernels.
#include "engine/ops/define.h"
#include "engine/ops/hooks.h"

namespace footlight {
namespace {

// Dtypes come from the signature (Tout, T); the shapes were stored in the node when it was built.
void shapes_from_attrs(Inference& i) {
  const AttrValue* value = i.attrs.find("output_shapes"_attr);
  const auto* shapes = value ? std::get_if<std::vector<Shape>>(value) : nullptr;
  for (size_t k = 0; k < i.output_shapes.size(); ++k)
    i.output_shapes[k] = shapes && k < shapes->size() ? (*shapes)[k] : Shape::unknown_rank();
}

void shape_from_attr(Inference& i) { i.output_shapes[0] = i.attrs.get_or("shape"_attr, Shape::unknown_rank()); }

void cond_gradient(GradientCall& call) { ops::hooks.cond_gradient(call); }
void loop_gradient(GradientCall& call) { ops::hooks.loop_gradient(call); }
void call_gradient(GradientCall& call) { ops::hooks.call_gradient(call); }

}  // namespace

FL_ROWS(control) {
  constexpr RowsOf constant_row{OpFamily::kConstant}, control_row{OpFamily::kControl};
  constexpr const char* kCondSignature = "cond: Tcond, input: Tin[] -> output: Tout[]";
  constexpr const char* kCondAttrs =
      "Tcond: any; Tin: list(type); Tout: list(type); then_branch: func; else_branch: func; output_shapes: "
      "list(shape) = []";
  // The graphs of a Case are attributes of their own: branch_attr().
  constexpr const char* kCaseSignature = "branch_index: int32, input: Tin[] -> output: Tout[]";
  constexpr const char* kCaseAttrs =
      "Tin: list(type); Tout: list(type); branches: list(func); output_shapes: list(shape) = []";
  constexpr const char* kLoopAttrs =
      "T: list(type); cond: func; body: func; output_shapes: list(shape) = []; parallel_iterations: int = 10";
  constexpr const char* kCallAttrs =
      "Tin: list(type); Tout: list(type); f: func; config: string = \"\"; config_proto: string = \"\"; "
      "executor_type: string = \"\"";
  return {
      constant_row("Placeholder", "-> output: dtype", "dtype: any; shape: shape = unknown", shape_from_attr, nullptr,
                   "a value that comes from outside of the graph",
                   {.zero_gradient = true, .execution = Execution::kPlaceholder}),
      control_row("NoOp", "->", "", infer::none, nullptr, "does nothing; holds control dependencies together",
                  {.execution = Execution::kNoOp}),
      control_row("FakeParam", "-> output: dtype", "dtype: any; shape: shape", shape_from_attr, nullptr,
                  "a placeholder for an output that the branch taken does not have",
                  {.zero_gradient = true, .execution = Execution::kFakeParam}),
      control_row("StatelessIf", kCondSignature, kCondAttrs, shapes_from_attrs, cond_gradient,
                  "then_branch(input) if cond else else_branch(input)", {.execution = Execution::kIf}),
      control_row("If", kCondSignature, kCondAttrs, shapes_from_attrs, cond_gradient,
                  "then_branch(input) if cond else else_branch(input), with effects",
                  {.effect = Effect::kOther, .execution = Execution::kIf}),
      control_row("StatelessCase", kCaseSignature, kCaseAttrs, shapes_from_attrs, cond_gradient,
                  "the branch of that number of the input; the last one for any other number",
                  {.execution = Execution::kIf}),
      control_row("Case", kCaseSignature, kCaseAttrs, shapes_from_attrs, cond_gradient,
                  "the branch of that number of the input, with effects; the last one for any other number",
                  {.effect = Effect::kOther, .execution = Execution::kIf}),
      control_row("StatelessWhile", "input: T[] -> output: T[]", kLoopAttrs, shapes_from_attrs, loop_gradient,
                  "input = body(input) while cond(input)", {.execution = Execution::kWhile}),
      control_row("While", "input: T[] -> output: T[]", kLoopAttrs, shapes_from_attrs, loop_gradient,
                  "input = body(input) while cond(input), with effects",
                  {.effect = Effect::kOther, .execution = Execution::kWhile}),
      control_row("PartitionedCall", "args: Tin[] -> output: Tout[]", kCallAttrs, shapes_from_attrs, call_gradient,
                  "f(args)", {.execution = Execution::kCall}),
      control_row("StatefulPartitionedCall", "args: Tin[] -> output: Tout[]", kCallAttrs, shapes_from_attrs,
                  call_gradient, "f(args), with effects", {.effect = Effect::kOther, .execution = Execution::kCall}),
  };
}

}  // namespace footlight
