// Checks order, arity, outputs, names and calls of a graph.
#include "engine/graph/verify.h"

#include "engine/base/errors.h"

#include <unordered_set>

namespace footlight {
namespace {

[[noreturn]] void fail(const Graph& graph, const std::string& node, const std::string& what) {
  throw Error(ErrorKind::kInternal, "graph '" + graph.name() + "', node '" + node + "': " + what);
}

void check_edge(const Graph& graph, const std::string& user, Edge edge, size_t before) {
  if (edge.node.value >= graph.size()) fail(graph, user, "an input that is no node of the graph");
  // A node without inputs may come late: it runs first.
  if (edge.node.value >= before && !graph.node(edge.node).inputs.empty())
    fail(graph, user, "uses '" + graph.node(edge.node).name + "', which comes later");
  if (edge.output >= graph.node(edge.node).dtypes.size())
    fail(graph, user, "uses output " + std::to_string(edge.output) + " of '" + graph.node(edge.node).name +
                          "', which has " + std::to_string(graph.node(edge.node).dtypes.size()));
}

void check_arity(const Graph& graph, const Node& node) {
  size_t needed = 0;
  bool lists = false;
  for (const ArgSpec& arg : node.op->inputs) arg.list ? void(lists = true) : void(++needed);
  if (lists ? node.inputs.size() < needed : node.inputs.size() != needed)
    fail(graph, node.name, std::string(node.op->name) + " takes " + std::to_string(needed) + " inputs, has " +
                               std::to_string(node.inputs.size()));
  if (node.op->outputs != kVariableOutputs && node.dtypes.size() != node.op->outputs)
    fail(graph, node.name, std::string(node.op->name) + " has " + std::to_string(node.op->outputs) +
                               " outputs, the node " + std::to_string(node.dtypes.size()));
  if (node.dtypes.size() != node.shapes.size()) fail(graph, node.name, "not as many shapes as dtypes");
}

}  // namespace

void verify(const Graph& graph) {
  std::unordered_set<std::string_view> names;
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const Node& node = graph.node(NodeId(i));
    if (!node.op) fail(graph, node.name, "has no op");
    if (node.name.empty()) fail(graph, "#" + std::to_string(i), "has no name");
    if (!names.insert(node.name).second) fail(graph, node.name, "the name is used twice");
    for (Edge edge : node.inputs) check_edge(graph, node.name, edge, i);
    for (NodeId control : node.control_inputs)
      if (control.value >= graph.size() || control.value == i)
        fail(graph, node.name, "a control input is no other node");
    check_arity(graph, node);
  }
  for (Edge edge : graph.outputs) check_edge(graph, "(outputs)", edge, graph.size());
  for (NodeId input : graph.inputs)
    if (input.value >= graph.size() || graph.node(input).op->execution != Execution::kPlaceholder)
      fail(graph, "(inputs)", "an input is no Placeholder");
  if (graph.inputs.size() < graph.parameters) fail(graph, "(inputs)", "fewer inputs than parameters");
}

}  // namespace footlight
