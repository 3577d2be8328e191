// Ops that hold graphs, and ops that only structure a graph. The runtime executes them itself: they have no kernels.
#include "engine/ops/control_gradients.h"
#include "engine/ops/define.h"
#include "engine/ops/functions.h"

namespace footlight {

ControlGradients control_gradients;

namespace {

// Dtypes come from the signature (Tout, T); the shapes were stored in the node when it was built.
void shapes_from_attrs(Inference& i) {
  static const AttrName kShapes("output_shapes");
  const AttrValue* value = i.attrs.find(kShapes);
  const auto* shapes = value ? std::get_if<std::vector<Shape>>(value) : nullptr;
  for (size_t k = 0; k < i.output_shapes.size(); ++k)
    i.output_shapes[k] = shapes && k < shapes->size() ? (*shapes)[k] : Shape::unknown_rank();
}

void shape_from_attr(Inference& i) {
  static const AttrName kShape("shape");
  i.output_shapes[0] = i.attrs.get_or(kShape, Shape::unknown_rank());
}

void popped_shape(Inference& i) {
  static const AttrName kElement("element_shape");
  i.output_shapes[0] = Shape();
  i.output_shapes[1] = i.attrs.get_or(kElement, Shape::unknown_rank());
}

// The gradient of a list is a list of gradients of the same length: a push becomes a pop, and vice versa.
const AttrName kElementDType("element_dtype"), kElementShape("element_shape");

void push_gradient(GradientCall& c) {
  static const Op pop{"TensorListPopBack"};
  const std::vector<Tensor> both =
      apply_all(pop.row(), c.output_gradients.first(1),
                {{kElementDType, c.inputs[1].dtype()}, {kElementShape, c.inputs[1].shape()}});
  c.input_gradients[0] = both[0];
  const DType pushed = c.inputs[1].dtype();
  if (is_floating(pushed) || is_complex(pushed) || pushed == DType::kVariant) c.input_gradients[1] = both[1];
}

void pop_gradient(GradientCall& c) {
  static const Op push{"TensorListPushBack"};
  const auto arrived = [&](size_t k) {
    return c.output_gradients[k] ? c.output_gradients[k] : ops::zeros_like(c.outputs[k]);
  };
  c.input_gradients[0] = apply(push, {arrived(0), arrived(1)}, {{kElementDType, c.outputs[1].dtype()}});
}

void cond_gradient(GradientCall& call) { control_gradients.cond(call); }
void loop_gradient(GradientCall& call) { control_gradients.loop(call); }
void call_gradient(GradientCall& call) { control_gradients.call(call); }

}  // namespace

FL_ROWS(control) {
  constexpr const char* kCondSignature = "cond: Tcond, input: Tin[] -> output: Tout[]";
  constexpr const char* kCondAttrs =
      "Tcond: any; Tin: list(type); Tout: list(type); then_branch: func; else_branch: func; output_shapes: "
      "list(shape) = []";
  constexpr const char* kLoopAttrs =
      "T: list(type); cond: func; body: func; output_shapes: list(shape) = []; parallel_iterations: int = 10";
  constexpr const char* kCallAttrs =
      "Tin: list(type); Tout: list(type); f: func; config: string = \"\"; config_proto: string = \"\"; "
      "executor_type: string = \"\"";
  return {
      {"Placeholder",
       "-> output: dtype",
       "dtype: any; shape: shape = unknown",
       shape_from_attr,
       nullptr,
       OpFamily::kConstant,
       "a value that comes from outside of the graph",
       {.zero_gradient = true, .execution = Execution::kPlaceholder}},
      {"NoOp", "->", "", infer::none, nullptr, OpFamily::kControl,
       "does nothing; holds control dependencies together", {.execution = Execution::kNoOp}},
      {"FakeParam",
       "-> output: dtype",
       "dtype: any; shape: shape",
       shape_from_attr,
       nullptr,
       OpFamily::kControl,
       "a placeholder for an output that the branch taken does not have",
       {.zero_gradient = true, .execution = Execution::kFakeParam}},
      {"EmptyTensorList",
       "-> handle: variant",
       "element_dtype: any; element_shape: shape = unknown",
       infer::scalar,
       nullptr,
       OpFamily::kControl,
       "a list of no tensors",
       {.zero_gradient = true}},
      {"TensorListPushBack",
       "input_handle: variant, tensor: element_dtype -> output_handle: variant",
       "element_dtype: any",
       infer::scalar,
       push_gradient,
       OpFamily::kControl,
       "the list with one tensor more"},
      {"TensorListPopBack", "input_handle: variant -> output_handle: variant, tensor: element_dtype",
       "element_dtype: any; element_shape: shape = unknown", popped_shape, pop_gradient, OpFamily::kControl,
       "the list without its last tensor, and that tensor"},
      {"StatelessIf", kCondSignature, kCondAttrs, shapes_from_attrs, cond_gradient, OpFamily::kControl,
       "then_branch(input) if cond else else_branch(input)", {.execution = Execution::kIf}},
      {"If", kCondSignature, kCondAttrs, shapes_from_attrs, cond_gradient, OpFamily::kControl,
       "then_branch(input) if cond else else_branch(input), with effects",
       {.effect = Effect::kOther, .execution = Execution::kIf}},
      {"StatelessWhile", "input: T[] -> output: T[]", kLoopAttrs, shapes_from_attrs, loop_gradient,
       OpFamily::kControl, "input = body(input) while cond(input)", {.execution = Execution::kWhile}},
      {"While", "input: T[] -> output: T[]", kLoopAttrs, shapes_from_attrs, loop_gradient, OpFamily::kControl,
       "input = body(input) while cond(input), with effects",
       {.effect = Effect::kOther, .execution = Execution::kWhile}},
      {"PartitionedCall", "args: Tin[] -> output: Tout[]", kCallAttrs, shapes_from_attrs, call_gradient,
       OpFamily::kControl, "f(args)", {.execution = Execution::kCall}},
      {"StatefulPartitionedCall", "args: Tin[] -> output: Tout[]", kCallAttrs, shapes_from_attrs,
       call_gradient, OpFamily::kControl, "f(args), with effects",
       {.effect = Effect::kOther, .execution = Execution::kCall}},
  };
}

}  // namespace footlight
