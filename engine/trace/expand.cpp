// The node keeps its name and becomes a call of a function, traced for the node's dtypes and shapes.
#include "engine/trace/expand.h"

#include "engine/base/errors.h"
#include "engine/eager/tape.h"
#include "engine/graph/constant_of.h"
#include "engine/ops/expansions.h"
#include "engine/trace/concrete.h"
#include "engine/trace/graph_builder.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

namespace footlight::trace {
namespace {

bool has_own_ops(const Graph& graph) {
  for (uint32_t i = 0; i < graph.size(); ++i)
    if (expansion_of(*graph.node(NodeId(i)).op)) return true;
  return false;
}

// A name that is the same each time the graph is written.
std::string function_name(const Graph& graph, const Node& node) {
  std::string name = graph.name() + '_' + node.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

class Expander {
 public:
  GraphPtr copy(const GraphPtr& graph) {
    GraphPtr& known = copies_[graph.get()];
    if (known) return known;
    const std::vector<GraphPtr> library = library_of(*graph);
    const bool needed =
        has_own_ops(*graph) || std::ranges::any_of(library, [](const GraphPtr& g) { return has_own_ops(*g); });
    if (!needed) return known = graph;
    const GraphPtr made = clone(*graph);
    for (uint32_t i = 0; i < made->size(); ++i) rewrite(*made, NodeId(i));
    return copies_[graph.get()] = made;
  }

 private:
  void rewrite(Graph& graph, NodeId id) {
    Node& node = graph.node(id);
    if (const Expansion expansion = expansion_of(*node.op)) return become_call(graph, node, expansion);
    std::vector<std::pair<AttrName, GraphPtr>> callees;
    for (const auto& [name, value] : node.attrs)
      if (const GraphPtr* callee = std::get_if<GraphPtr>(&value)) callees.emplace_back(name, *callee);
    for (const auto& [name, callee] : callees) node.attrs.set(name, copy(callee));
  }

  void become_call(const Graph& graph, Node& node, Expansion expansion) {
    GraphBuilder builder(function_name(graph, node));
    const HideTapes hidden;
    const Building building(&builder);
    std::vector<Tensor> parameters, known;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Node& from = graph.node(node.inputs[i].node);
      const uint32_t output = node.inputs[i].output;
      const std::string name = i < node.op->inputs.size() ? node.op->inputs[i].name : "input_" + std::to_string(i);
      parameters.push_back(builder.parameter(from.dtypes[output], from.shapes[output], name, {}));
      // A value that the op reads on the host is baked into the function, if it is known.
      Tensor value = node.op->is_host_input(i) ? constant_of(graph, node.inputs[i]) : Tensor();
      known.push_back(value ? value.as_constant() : parameters.back());
    }
    std::vector<Tensor> results;
    try {
      results = expansion(known, node.attrs);
    } catch (const Error&) {
      return;  // the op itself reports bad inputs
    }
    if (results.size() != node.dtypes.size()) return;
    builder.finish(results);
    const GraphPtr function = builder.graph();
    node.attrs = call_attrs(function, parameters);
    node.op = &call_row(*function);
  }

  std::unordered_map<const Graph*, GraphPtr> copies_;
};

}  // namespace

GraphPtr expanded(const GraphPtr& graph) { return Expander().copy(graph); }

}  // namespace footlight::trace
