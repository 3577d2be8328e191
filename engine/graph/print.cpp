// Prints a graph and the functions it calls, in order.
#include "engine/graph/print.h"

#include "engine/graph/describe.h"

namespace footlight {
namespace {

std::string edge_text(const Graph& graph, Edge edge) {
  const std::string& name = graph.node(edge.node).name;
  return edge.output ? name + ':' + std::to_string(edge.output) : name;
}

void print_one(std::string& out, const Graph& graph) {
  out += "graph " + graph.name() + '\n';
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const Node& node = graph.node(NodeId(i));
    out += "  " + node.name + " = " + node.op->name + '(';
    for (size_t k = 0; k < node.inputs.size(); ++k) out += (k ? ", " : "") + edge_text(graph, node.inputs[k]);
    for (NodeId control : node.control_inputs) out += (out.back() == '(' ? "^" : ", ^") + graph.node(control).name;
    out += ')';
    const std::string attrs = describe_attrs(node);
    if (!attrs.empty()) out += " {" + attrs + '}';
    if (const AttrValue* value = node.attrs.find(AttrName("value")))
      if (const Tensor* tensor = std::get_if<Tensor>(value)) out += " = " + describe_value(*tensor);
    for (size_t k = 0; k < node.dtypes.size(); ++k)
      out += (k ? ", " : " -> ") + describe(node.dtypes[k], node.shapes[k]);
    out += '\n';
  }
  out += "  return";
  for (size_t k = 0; k < graph.outputs.size(); ++k) out += (k ? ", " : " ") + edge_text(graph, graph.outputs[k]);
  out += '\n';
}

}  // namespace

std::string to_text(const Graph& graph) {
  std::string out;
  print_one(out, graph);
  for (const GraphPtr& callee : library_of(graph)) print_one(out, *callee);
  return out;
}

}  // namespace footlight
