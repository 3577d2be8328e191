// Gradients of loops: the forward loop pushes what each iteration's gradient needs onto lists; the backward loop pops
// it again from the last iteration to the first.
#include "engine/trace/control_gradients.h"

#include "engine/base/text.h"
#include "engine/ops/functions.h"
#include "engine/ops/indexed_slices.h"
#include "engine/ops/row.h"
#include "engine/trace/control_flow.h"
#include "engine/trace/derivative.h"
#include "engine/trace/saved_values.h"

#include <algorithm>
#include <array>

namespace footlight::trace {
namespace {

struct Kept {
  DType dtype;
  Shape shape;
  Edge in_body;        // an edge of the forward body
  size_t need;         // index in Derivative::needs
};

NodeId add_parameter(Graph& graph, const char* name) {
  Node node;
  node.op = &"Placeholder"_op.row();
  node.name = graph.unique_full_name(name);
  node.attrs.set("dtype"_attr, DType::kVariant);
  node.attrs.set("shape"_attr, Shape());
  node.dtypes = {DType::kVariant};
  node.shapes = {Shape()};
  const NodeId id = graph.add_named(std::move(node));
  graph.inputs.push_back(id);
  ++graph.parameters;
  return id;
}

// A tensor of the graph being built, whose shape becomes at least this specific.
Tensor with_shape(const Tensor& tensor, const Shape& shape) {
  Graph& graph = *tensor.graph();
  Shape& own = graph.node(tensor.node()).shapes.own()[tensor.output()];
  if (compatible(own, shape)) own = merge(own, shape);
  return graph.tensor({tensor.node(), tensor.output()});
}

Tensor zeros_like(const Tensor& tensor, DType dtype) {
  if (tensor.dtype() != DType::kResource) return apply("ZerosLike"_op, {tensor});
  Attrs attrs;
  attrs.set("dtype"_attr, dtype);
  return apply("ZerosLike"_op, {apply("ReadVariableOp"_op, {tensor}, attrs)});
}

// Adds a list to the loop for each saved value.
void keep_values(Graph& graph, NodeId id, const Graph& forward_body, size_t outputs, std::span<const Kept> kept) {
  const GraphPtr body = clone(forward_body);
  const GraphPtr test = clone(*graph.node(id).attrs.get<GraphPtr>("cond"_attr));
  body->rename(numbered(forward_body.name() + '_'));
  test->rename(numbered(test->name() + '_'));
  body->outputs.resize(outputs);
  std::vector<Edge> lists;
  for (const Kept& value : kept) {
    lists.push_back({add_list(graph, value.dtype, value.shape), 0});
    add_parameter(*test, "accumulator");
    body->outputs.push_back({add_push(*body, add_parameter(*body, "accumulator"), value.in_body, value.dtype), 0});
  }
  body->trim();
  Node& node = graph.node(id);
  for (const Edge list : lists) node.inputs.push_back(list);
  for (size_t k = node.dtypes.size(); k < outputs + kept.size(); ++k) node.dtypes.push_back(DType::kVariant);
  node.shapes.own().resize(outputs + kept.size(), Shape());
  node.attrs.set("body"_attr, body);
  node.attrs.set("cond"_attr, test);
  node.attrs.set("T"_attr, node.dtypes.to_vector());
  node.attrs.set("output_shapes"_attr, node.shapes.all());
}

}  // namespace

void loop_gradient(GradientCall& call) {
  Graph& graph = *call.outputs[0].graph();
  const NodeId id = call.outputs[0].node();
  const std::shared_ptr<const Forward> forward = forward_of(graph.node(id).attrs.get<GraphPtr>("body"_attr));
  const Graph& body = *forward->graph();
  const Derivative& derivative = *forward->derivative;
  const size_t count = derivative.outputs;
  // The tape recorded the loop when it had fewer variables: a later gradient added lists.
  std::vector<Tensor> inputs(call.inputs.begin(), call.inputs.end()), outputs;
  while (inputs.size() < count) {
    const Edge edge = graph.node(id).inputs[inputs.size()];
    inputs.push_back(graph.tensor(edge));
  }
  for (uint32_t k = 0; k < count; ++k) outputs.push_back(graph.tensor({id, k}));

  std::vector<bool> invariant(count);
  std::vector<Shape> shapes;
  for (size_t k = 0; k < count; ++k) {
    invariant[k] = body.outputs[k].node == body.inputs[k];
    shapes.push_back(body.node(body.inputs[k]).shapes[0]);
  }
  std::vector<Kept> kept;
  for (size_t n = 0; n < derivative.needs.size(); ++n) {
    const Derivative::Need& need = derivative.needs[n];
    if (need.value) continue;
    if (need.input && invariant[need.index]) continue;
    const Edge edge = need.input ? Edge{body.inputs[need.index], 0} : body.outputs[need.index];
    kept.push_back({body.node(edge.node).dtypes[edge.output], body.node(edge.node).shapes[edge.output], edge, n});
  }
  keep_values(graph, id, body, count, kept);

  // The backward loop's variables: the iterations left, a gradient for each input that has one, the lists.
  std::vector<size_t> carried;
  std::vector<Tensor> variables{call.outputs[0]};
  WhileOptions options;
  options.name = "gradients/while_grad";
  options.shape_invariants.push_back(std::nullopt);
  const Graph& backward = *derivative.backward->graph();
  for (size_t k = 2; k < count; ++k) {
    const bool flows = k < call.output_gradients.size() && call.output_gradients[k];
    if (derivative.gradient_of[k] < 0 && !flows) continue;
    const DType dtype =
        derivative.gradient_of[k] < 0
            ? call.output_gradients[k].dtype()
            : backward.node(backward.outputs[static_cast<size_t>(derivative.gradient_of[k])].node).dtypes[0];
    carried.push_back(k);
    variables.push_back(flows ? call.output_gradients[k]
                              : zeros_like(invariant[k] ? inputs[k] : outputs[k], dtype));
    const bool variable = inputs[k].dtype() == DType::kResource;
    options.shape_invariants.push_back(variable ? variables.back().shape() : shapes[k]);
  }
  if (carried.empty()) return;
  std::vector<Tensor> added;
  for (size_t k = 0; k < kept.size(); ++k) added.push_back(graph.tensor({id, static_cast<uint32_t>(count + k)}));
  record_added_outputs(inputs, added);
  for (const Tensor& list : added) {
    variables.push_back(list);
    options.shape_invariants.push_back(std::nullopt);
  }
  for (size_t i = 1; i < variables.size(); ++i)
    if (options.shape_invariants[i] && !is_subshape(variables[i].shape(), *options.shape_invariants[i]))
      options.shape_invariants[i] = Shape::unknown_rank();

  const std::vector<Tensor> results = build_while(
      variables,
      [&](std::span<const Tensor> now) {
        return apply("Greater"_op, {now[0], Tensor::scalar<int32_t>(0).as_constant()});
      },
      [&](std::span<const Tensor> now) {
        std::vector<Tensor> next{apply("Sub"_op, {now[0], Tensor::scalar<int32_t>(1).as_constant()})};
        std::vector<Tensor> lists, popped(derivative.needs.size()), arguments;
        for (size_t k = 0; k < kept.size(); ++k) {
          const Shape& shape = kept[k].shape;
          const Tensor known = shape.has_rank() ? ops::ints(shape.dims()) : ops::integer(-1);
          const std::vector<Tensor> both =
              apply_all("TensorListPopBack"_op.row(), Borrowed(now[1 + carried.size() + k], known),
                        {{"element_dtype"_attr, kept[k].dtype}});
          lists.push_back(both[0]);
          popped[kept[k].need] = both[1];
        }
        for (size_t seed : derivative.seeds) {
          const auto at = std::ranges::find(carried, seed);
          // Variables that pass through unchanged get their gradient once, after the loop.
          if (at != carried.end() && !invariant[seed])
            arguments.push_back(now[1 + static_cast<size_t>(at - carried.begin())]);
          else
            arguments.push_back(zeros_like(inputs[seed], body.node(body.inputs[seed]).dtypes[0]));
        }
        for (size_t n = 0; n < derivative.needs.size(); ++n)
          arguments.push_back(popped[n]                    ? popped[n]
                              : derivative.needs[n].value ? derivative.needs[n].value
                                                          : inputs[derivative.needs[n].index]);
        const std::vector<Tensor> gradients = derivative.backward->call(arguments);
        for (size_t c = 0; c < carried.size(); ++c) {
          const size_t k = carried[c];
          const Tensor& running = now[1 + c];
          const Shape shape = options.shape_invariants[1 + c].value_or(Shape::unknown_rank());
          const Tensor found = ops::dense(derivative.of_input(k, gradients));
          Tensor value;
          if (invariant[k])
            value = found ? ops::accumulate(std::array{running, found}) : running;
          else
            value = found ? found : zeros_like(running, running.dtype());
          next.push_back(with_shape(value, shape));
        }
        next.insert(next.end(), lists.begin(), lists.end());
        return next;
      },
      options);
  for (size_t c = 0; c < carried.size(); ++c)
    if (carried[c] < call.input_gradients.size()) call.input_gradients[carried[c]] = results[1 + c];
}

}  // namespace footlight::trace
