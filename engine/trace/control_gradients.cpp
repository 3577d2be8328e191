// Gradients of calls and branches: the node gets a forward graph that also returns what the backward graph needs.
#include "engine/trace/control_gradients.h"

#include "engine/base/text.h"
#include "engine/compile/program.h"
#include "engine/ops/branches.h"
#include "engine/ops/functions.h"
#include "engine/ops/indexed_slices.h"
#include "engine/runtime/executor.h"
#include "engine/trace/control_flow.h"
#include "engine/trace/derivative.h"

#include <algorithm>

namespace footlight::trace {

namespace {

const AttrName kF{"f"};

bool flows_beyond(std::span<const Tensor> gradients, size_t first) {
  return std::any_of(gradients.begin() + static_cast<ptrdiff_t>(std::min(first, gradients.size())), gradients.end(),
                     [](const Tensor& t) { return static_cast<bool>(t); });
}

std::vector<Tensor> outputs_of(Graph& graph, NodeId id) {
  std::vector<Tensor> outputs;
  for (uint32_t i = 0; i < graph.node(id).dtypes.size(); ++i) outputs.push_back(graph.tensor({id, i}));
  return outputs;
}

std::vector<Tensor> padded(std::span<const Tensor> gradients, size_t size) {
  std::vector<Tensor> all(gradients.begin(), gradients.end());
  all.resize(size);
  return all;
}

void set_outputs(Node& node, const std::vector<DType>& dtypes, const std::vector<Shape>& shapes) {
  node.dtypes = dtypes;
  node.shapes = shapes;
  node.attrs.set("Tout"_attr, dtypes);
}

// A call that has run, so its outputs are values. They do not suffice if the extra outputs have gradients too (a
// gradient of a gradient): then the forward graph runs again, only for values.
void eager_call_gradient(GradientCall& call, const GraphPtr& callee) {
  std::shared_ptr<const Derivative> derivative = derivative_of(*callee);
  while (derivative && derivative->shallower && !flows_beyond(call.output_gradients, derivative->shallower->outputs))
    derivative = derivative->shallower;
  if (derivative && !flows_beyond(call.output_gradients, derivative->outputs))
    return derivative->apply(call.inputs, call.outputs, call.output_gradients, call.input_gradients,
                             call_of(call.attrs));
  const std::shared_ptr<const Forward> forward = forward_of(callee);
  // For higher-order gradients a tape must know the sources of these outputs, so their values are returned as well.
  const bool watched = ops::hooks.recorders_watch && ops::hooks.recorders_watch(call.inputs);
  const GraphPtr graph = watched ? forward_of(forward->graph())->graph() : forward->graph();
  std::vector<Tensor> all(graph->outputs.size());
  runtime::run(*compile::compile(*graph, runtime::run_op, optimize::Keep::kOutputs), call.inputs, all,
               call_of(call.attrs));
  if (watched) {
    for (Tensor& output : all)
      if (output && is_plain(output.dtype())) output = output.alias();
    Attrs attrs = call.attrs;
    attrs.set(kF, graph);
    attrs.set("Tout"_attr, output_dtypes(*graph));
    attrs.set("_differentiated"_attr, static_cast<int64_t>(all.size()));
    show_recorders(call.row, attrs, call.inputs, all);
    all.resize(forward->graph()->outputs.size());
  }
  forward->derivative->apply(call.inputs, all, padded(call.output_gradients, all.size()), call.input_gradients,
                             call_of(call.attrs));
}

}  // namespace

void call_gradient(GradientCall& call) {
  if (!call.outputs[0].is_symbolic()) return eager_call_gradient(call, call.attrs.get<GraphPtr>(kF));
  Graph& graph = *call.outputs[0].graph();
  const NodeId id = call.outputs[0].node();
  const GraphPtr callee = graph.node(id).attrs.get<GraphPtr>(kF);  // the node's present callee
  std::shared_ptr<const Derivative> derivative = derivative_of(*callee);
  if (!derivative || flows_beyond(call.output_gradients, derivative->outputs)) {
    const std::shared_ptr<const Forward> forward = forward_of(callee);
    derivative = forward->derivative;
    graph.node(id).attrs.set(kF, forward->graph());
    set_outputs(graph.node(id), output_dtypes(*forward->graph()), output_shapes(*forward->graph()));
  }
  const std::vector<Tensor> all = outputs_of(graph, id);
  record_added_outputs(call.inputs, std::span(all).subspan(derivative->outputs));
  derivative->apply(call.inputs, all, padded(call.output_gradients, all.size()), call.input_gradients);
}

namespace {

// --- branches ---
// For each branch, its extra outputs: the node's outputs from this number on.
struct BranchDerivative {
  std::shared_ptr<const Derivative> derivative;
  size_t first_extra = 0, extra = 0;
};

NodeId add_fake(Graph& graph, DType dtype, const Shape& shape) {
  Node node;
  node.op = &"FakeParam"_op.row();
  node.attrs.set("dtype"_attr, dtype);
  node.attrs.set("shape"_attr, shape);
  node.dtypes = {dtype};
  node.shapes = {shape};
  return graph.add(std::move(node));
}

// Makes the node return what its branches' gradients need: the values of each branch, which the others fake.
std::vector<BranchDerivative> hand_out(Graph& graph, NodeId id) {
  const std::vector<AttrName> names = branches_of(graph.node(id).attrs);
  const size_t outputs = graph.node(id).dtypes.size();
  std::vector<DType> dtypes = graph.node(id).dtypes.to_vector();
  std::vector<Shape> shapes = graph.node(id).shapes;
  std::vector<BranchDerivative> result;
  std::vector<GraphPtr> graphs;
  std::vector<std::vector<Edge>> extras;
  for (const AttrName name : names) {
    const std::shared_ptr<const Forward> forward = forward_of(graph.node(id).attrs.get<GraphPtr>(name));
    const GraphPtr copy = clone(*forward->graph());
    copy->rename(numbered(forward->graph()->name() + '_'));
    extras.emplace_back(copy->outputs.begin() + static_cast<ptrdiff_t>(outputs), copy->outputs.end());
    copy->outputs.resize(outputs);
    graphs.push_back(copy);
    result.push_back({forward->derivative, dtypes.size(), extras.back().size()});
    for (const Edge edge : extras.back()) {
      dtypes.push_back(copy->node(edge.node).dtypes[edge.output]);
      shapes.push_back(copy->node(edge.node).shapes[edge.output]);
    }
  }
  for (size_t k = 0; k < graphs.size(); ++k)
    for (size_t from = 0; from < graphs.size(); ++from)
      for (size_t e = 0; e < extras[from].size(); ++e) {
        const size_t at = result[from].first_extra + e;
        graphs[k]->outputs.push_back(from == k ? extras[k][e] : Edge{add_fake(*graphs[k], dtypes[at], shapes[at]), 0});
      }
  Node& node = graph.node(id);
  for (size_t k = 0; k < graphs.size(); ++k) {
    graphs[k]->trim();
    node.attrs.set(names[k], graphs[k]);
  }
  node.attrs.set("output_shapes"_attr, shapes);
  set_outputs(node, dtypes, shapes);
  return result;
}

// Zeros for an input that only the other branch uses.
Tensor zeros_for(const Tensor& input, DType dtype) {
  if (input.dtype() != DType::kResource) return apply("ZerosLike"_op, {input});
  Attrs attrs;
  attrs.set("dtype"_attr, dtype);
  return apply("ZerosLike"_op, {apply("ReadVariableOp"_op, {input}, attrs)});
}

DType gradient_dtype(const Derivative& derivative, size_t input) {
  if (derivative.gradient_of[input] < 0) return DType::kInvalid;
  const Graph& graph = *derivative.backward->graph();
  const Edge edge = graph.outputs[static_cast<size_t>(derivative.gradient_of[input])];
  return graph.node(edge.node).dtypes[edge.output];
}

}  // namespace

void cond_gradient(GradientCall& call) {
  Graph& graph = *call.outputs[0].graph();
  const NodeId id = call.outputs[0].node();
  const size_t outputs = graph.node(id).dtypes.size();
  const bool by_number = !graph.node(id).attrs.find("then_branch"_attr);
  const std::vector<BranchDerivative> derivatives = hand_out(graph, id);
  const std::vector<Tensor> all = outputs_of(graph, id);
  record_added_outputs(call.inputs, std::span(all).subspan(outputs));
  const std::span<const Tensor> inputs = call.inputs.subspan(1);
  std::vector<size_t> wanted;
  std::vector<DType> dtypes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    DType dtype = DType::kInvalid;
    for (const BranchDerivative& each : derivatives)
      if (dtype == DType::kInvalid) dtype = gradient_dtype(*each.derivative, i);
    if (dtype == DType::kInvalid) continue;
    wanted.push_back(i);
    dtypes.push_back(dtype);
  }
  if (wanted.empty()) return;
  std::vector<Branch> branches;
  for (const BranchDerivative& each : derivatives)
    branches.push_back([&, each] {
      std::vector<Tensor> results(all.begin(), all.begin() + static_cast<ptrdiff_t>(outputs));
      const auto extra = all.begin() + static_cast<ptrdiff_t>(each.first_extra);
      results.insert(results.end(), extra, extra + static_cast<ptrdiff_t>(each.extra));
      std::vector<Tensor> leaving(inputs.size()), found;
      each.derivative->apply(inputs, results, padded(call.output_gradients, outputs), leaving);
      for (size_t k = 0; k < wanted.size(); ++k) {
        const Tensor gradient = ops::dense(leaving[wanted[k]]);
        found.push_back(gradient ? gradient : zeros_for(inputs[wanted[k]], dtypes[k]));
      }
      return found;
    });
  const std::vector<Tensor> gradients =
      by_number ? build_case(call.inputs[0], branches, "gradients/case_grad")
                : build_cond(call.inputs[0], branches[0], branches[1], "gradients/cond_grad");
  for (size_t k = 0; k < wanted.size(); ++k) call.input_gradients[1 + wanted[k]] = gradients[k];
}

Tensor loop_over_numbers(const Tensor& count, const Tensor& value, const ops::LoopStep& step) {
  return build_while(
      {ops::integer(0), value}, [&](std::span<const Tensor> now) { return apply("Less"_op, {now[0], count}); },
      [&](std::span<const Tensor> now) {
        return std::vector<Tensor>{ops::add(now[0], ops::integer(1)), step(now[0], now[1])};
      })[1];
}

}  // namespace footlight::trace
