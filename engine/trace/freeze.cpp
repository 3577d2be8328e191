// Edges that were handles become the values themselves, through Identities, branches, loops and calls; a node that
// reads one becomes an Identity.
#include "engine/trace/freeze.h"

#include "engine/base/text.h"
#include "engine/tensor/variable.h"
#include "engine/trace/graph_builder.h"

#include <algorithm>
#include <map>
#include <set>

namespace footlight::trace {
namespace {

const AttrName kValue{"value"}, kT{"T"};

struct ValueType {
  DType dtype;
  Shape shape;
};
// The inputs of a graph that get a value in place of a handle, by position.
using ValueInputs = std::map<size_t, ValueType>;

class Freezer {
 public:
  // `graph` must be a copy: it is changed.
  void run(Graph& graph, const ValueInputs& inputs) {
    Values values;
    for (const auto& [index, type] : inputs) {
      const NodeId id = graph.inputs[index];
      Node& node = graph.node(id);
      if (node.op->execution == Execution::kPlaceholder) {
        node.attrs.set("dtype"_attr, type.dtype);
        node.attrs.set("shape"_attr, type.shape);
      }
      become(node, 0, type);
      values.insert({id.value, 0});
    }
    for (uint32_t i = 0; i < graph.size(); ++i) rewrite(graph, NodeId(i), values);
  }

 private:
  using Values = std::set<std::pair<uint32_t, uint32_t>>;  // edges that hold a value now
  struct Copy {
    GraphPtr graph;
    ValueInputs outputs;
  };

  static void become(Node& node, uint32_t output, const ValueType& type) {
    node.dtypes[output] = type.dtype;
    node.shapes.own()[output] = type.shape;
  }

  void rewrite(Graph& graph, NodeId id, Values& values) {
    Node& node = graph.node(id);
    ValueInputs inputs;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Edge edge = node.inputs[i];
      if (!values.contains({edge.node.value, edge.output})) continue;
      const Node& from = graph.node(edge.node);
      inputs.emplace(i, ValueType{from.dtypes[edge.output], from.shapes[edge.output]});
    }
    if (inputs.empty()) return;
    const bool passes_on = node.op->effect == Effect::kNone && node.op->alias == Alias::kSame;
    if (node.op == &"ReadVariableOp"_op.row()) {
      node.op = &"Identity"_op.row();
      node.attrs = Attrs{{kT, node.dtypes[0]}};
    } else if (passes_on) {
      node.attrs.set(kT, inputs.begin()->second.dtype);
      become(node, 0, inputs.begin()->second);
      values.insert({id.value, 0});
    } else if (node.op == &"VariableShape"_op.row()) {
      node.op = &"Shape"_op.row();
      node.attrs = Attrs{{kT, inputs.begin()->second.dtype}, {"out_type"_attr, node.dtypes[0]}};
    } else if (node.op == &"ResourceGather"_op.row()) {
      gather(graph, node);
    } else if (std::ranges::any_of(node.attrs,
                                   [](const auto& a) { return std::holds_alternative<GraphPtr>(a.second); })) {
      call(node, inputs);
      for (size_t k = 0; k < node.dtypes.size(); ++k)
        if (const auto at = results_.find(k); at != results_.end()) {
          become(node, static_cast<uint32_t>(k), at->second);
          values.insert({id.value, static_cast<uint32_t>(k)});
        }
    } else {
      fail(ErrorKind::kValue, "the variable that '", node.name, "' (", node.op->name,
           ") uses cannot become a constant: only graphs that read their variables can be frozen");
    }
  }

  // Reads a row of the value. The axis is a new node, which may come later, as it has no inputs.
  static void gather(Graph& graph, Node& node) {
    const int64_t batch = node.attrs.get_or("batch_dims"_attr, int64_t{0});
    const DType indices = graph.node(node.inputs[1].node).dtypes[node.inputs[1].output];
    node.op = &"GatherV2"_op.row();
    node.attrs = Attrs{{"Tparams"_attr, node.dtypes[0]},
                       {"Tindices"_attr, indices},
                       {"Taxis"_attr, DType::kInt32},
                       {"batch_dims"_attr, batch}};
    Node axis;
    axis.op = &"Const"_op.row();
    axis.name = graph.unique_full_name(node.name + "/axis");
    axis.attrs = {{"dtype"_attr, DType::kInt32}, {kValue, Tensor::scalar<int32_t>(static_cast<int32_t>(batch))}};
    axis.dtypes = {DType::kInt32};
    axis.shapes = {Shape()};
    axis.source = node.source;
    node.inputs.push_back({NodeId(static_cast<uint32_t>(graph.size())), 0});
    graph.add_named(std::move(axis));  // `node` may have moved
  }

  // Copies the node's functions for values; `results_` says which of its outputs are values then.
  void call(Node& node, const ValueInputs& inputs) {
    results_.clear();
    const size_t others = node.op->execution == Execution::kIf ? 1 : 0;  // inputs that are not passed to the functions
    Attrs attrs = node.attrs;
    bool effects = false;
    for (const auto& [name, value] : node.attrs) {
      const GraphPtr* callee = std::get_if<GraphPtr>(&value);
      if (!callee) continue;
      const Copy& copy = copied(*callee, inputs, others);
      attrs.set(name, copy.graph);
      for (const auto& [k, type] : copy.outputs) results_.insert({k, type});
      effects |= has_effects(*copy.graph);
    }
    if (node.op->execution == Execution::kWhile) results_ = inputs;  // the condition gives no variable of the loop
    node.attrs = std::move(attrs);
    note_types(node, inputs, others);
    if (effects) return;
    static const std::map<std::string_view, const char*> kStateless{
        {"If", "StatelessIf"}, {"Case", "StatelessCase"}, {"While", "StatelessWhile"},
        {"StatefulPartitionedCall", "PartitionedCall"}};
    if (const auto at = kStateless.find(node.op->name); at != kStateless.end()) node.op = find_row(at->second);
  }

  void note_types(Node& node, const ValueInputs& inputs, size_t others) const {
    for (AttrName name : {kT, "Tin"_attr, "Tout"_attr}) {
      const AttrValue* value = node.attrs.find(name);
      const auto* types = value ? std::get_if<std::vector<DType>>(value) : nullptr;
      if (!types) continue;
      std::vector<DType> changed = *types;
      if (name == "Tout"_attr)
        for (const auto& [k, type] : results_) changed[k] = type.dtype;
      else
        for (const auto& [i, type] : inputs) changed[i - others] = type.dtype;
      node.attrs.set(name, std::move(changed));
    }
    if (node.attrs.find("_read_only_resource_inputs"_attr))
      node.attrs.set("_read_only_resource_inputs"_attr, std::vector<int64_t>());
  }

  const Copy& copied(const GraphPtr& callee, const ValueInputs& inputs, size_t others) {
    std::pair<const Graph*, std::set<size_t>> key{callee.get(), {}};
    ValueInputs own;
    for (const auto& [i, type] : inputs) {
      key.second.insert(i - others);
      own.emplace(i - others, type);
    }
    const auto [at, fresh] = copies_.try_emplace(std::move(key));
    if (!fresh) return at->second;
    const GraphPtr graph = clone(*callee);
    graph->rename(callee->name() + "_frozen");
    const ValueInputs results = std::exchange(results_, {});  // results of the calling node
    run(*graph, own);
    results_ = results;
    at->second.graph = graph;
    for (size_t k = 0; k < graph->outputs.size(); ++k) {
      const Node& now = graph->node(graph->outputs[k].node);
      const Node& before = callee->node(callee->outputs[k].node);
      const uint32_t output = graph->outputs[k].output;
      if (now.dtypes[output] != before.dtypes[output])
        at->second.outputs.emplace(k, ValueType{now.dtypes[output], now.shapes[output]});
    }
    return at->second;
  }

  std::map<std::pair<const Graph*, std::set<size_t>>, Copy> copies_;
  ValueInputs results_;
};

Tensor value_of(const Tensor& capture, const Node& input) {
  if (capture.dtype() != DType::kResource) return capture;
  const Variable* variable = variable_of(capture);
  if (!variable)
    fail(ErrorKind::kValue, "the resource that is captured as '", input.name,
         "' is no variable: it cannot become a constant");
  return variable->read();
}

}  // namespace

GraphPtr freeze(const Graph& graph, std::span<const Tensor> captures) {
  const GraphPtr copy = clone(graph);
  ValueInputs values;
  for (size_t i = 0; i < captures.size(); ++i) {
    const size_t index = graph.parameters + i;
    Node& node = copy->node(copy->inputs[index]);
    const Tensor value = value_of(captures[i], node);
    if (value.is_symbolic())
      fail(ErrorKind::kValue, "the function captures '", node.name, "' of another graph, which has no value yet");
    if (captures[i].dtype() == DType::kResource) values.emplace(index, ValueType{value.dtype(), value.shape()});
    node.op = &"Const"_op.row();
    node.attrs = Attrs{{"dtype"_attr, value.dtype()}, {kValue, value}};
    node.shapes = {value.shape()};
  }
  Freezer().run(*copy, values);
  copy->inputs.resize(graph.parameters);
  return copy;
}

}  // namespace footlight::trace
