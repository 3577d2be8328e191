// b: ^a; c: ^b, ^a  ->  b: ^a; c: ^b
// The dependencies of a node are bits of a word, so one pass over the nodes checks 64 edges.
#include "engine/trace/needed_edges.h"

#include <algorithm>

namespace footlight::trace {
namespace {

void each_input(const Node& node, const auto& does) {
  for (Edge edge : node.inputs) does(edge.node);
  for (NodeId control : node.control_inputs) does(control);
}

void remove_of_few(Graph& graph, std::span<const ControlEdge> edges) {
  uint32_t low = UINT32_MAX, high = 0;
  for (const ControlEdge& edge : edges) {
    low = std::min(low, edge.from.value);
    high = std::max(high, edge.to.value);
  }
  std::vector<uint64_t> needs(high - low + 1, 0);  // itself, and its dependencies
  const auto bits = [&](NodeId id) { return id.value < low || id.value > high ? 0 : needs[id.value - low]; };
  for (size_t i = 0; i < edges.size(); ++i) needs[edges[i].from.value - low] |= uint64_t{1} << i;
  for (uint32_t n = low; n <= high; ++n)
    each_input(graph.node(NodeId(n)), [&](NodeId input) { needs[n - low] |= bits(input); });
  for (size_t i = 0; i < edges.size(); ++i) {
    Node& node = graph.node(edges[i].to);
    bool implied = false;
    each_input(node, [&](NodeId input) { implied |= !(input == edges[i].from) && (bits(input) >> i & 1); });
    const bool by_value = std::ranges::any_of(node.inputs, [&](Edge in) { return in.node == edges[i].from; });
    if (!implied && !by_value) continue;
    const auto kept = std::ranges::remove(node.control_inputs, edges[i].from);
    node.control_inputs.resize(static_cast<size_t>(kept.begin() - node.control_inputs.begin()));
  }
}

}  // namespace

void remove_implied(Graph& graph, std::span<const ControlEdge> edges) {
  for (size_t i = 0; i < edges.size(); i += 64)
    remove_of_few(graph, edges.subspan(i, std::min<size_t>(64, edges.size() - i)));
}

}  // namespace footlight::trace
