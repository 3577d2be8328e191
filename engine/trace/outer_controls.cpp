// Stores what a graph being built waits for, and adds it to the calls of that graph.
#include "engine/trace/outer_controls.h"

#include <algorithm>

namespace footlight::trace {

bool run_after(GraphBuilder& builder, const GraphPtr& around, NodeId node) {
  const GraphBuilder* at = builder.outer();
  while (at && at->graph() != around) at = at->outer();
  if (!at) return false;
  auto& known = builder.graph()->waits_for;
  if (std::ranges::none_of(known, [&](const auto& one) { return one.second == node && one.first.lock() == around; }))
    known.emplace_back(around, node);
  return true;
}

std::vector<NodeId> control_inputs_of(GraphBuilder& builder, const Attrs& attrs) {
  std::vector<NodeId> controls = builder.control_scope;
  for (const auto& [name, value] : attrs) {
    const GraphPtr* callee = std::get_if<GraphPtr>(&value);
    if (!callee || !*callee) continue;
    const auto waits_for = (*callee)->waits_for;  // a copy: run_after may add to a graph that calls itself
    for (const auto& [around, node] : waits_for) {
      const GraphPtr graph = around.lock();
      if (!graph) continue;
      if (graph != builder.graph()) run_after(builder, graph, node);
      else if (std::ranges::find(controls, node) == controls.end()) controls.push_back(node);
    }
  }
  return controls;
}

}  // namespace footlight::trace
