// Branches, loops and calls have the effects of their graphs.
#include "engine/optimize/effects.h"

#include <algorithm>

namespace footlight::optimize {

bool Effects::has_effect(const Node& node) {
  switch (node.op->effect) {
    case Effect::kNone:
    case Effect::kReads: return false;
    case Effect::kWrites: return true;
    case Effect::kOther: break;
  }
  if (node.op->execution == Execution::kKernel) return true;
  return std::ranges::any_of(node.attrs, [this](const auto& attr) {
    const GraphPtr* callee = std::get_if<GraphPtr>(&attr.second);
    return callee && *callee && has_effect(**callee);
  });
}

bool Effects::has_effect(const Graph& graph) {
  if (const auto at = known_.find(&graph); at != known_.end()) return at->second;
  bool any = false;
  for (uint32_t i = 0; i < graph.size() && !any; ++i) any = has_effect(graph.node(NodeId(i)));
  return known_[&graph] = any;
}

}  // namespace footlight::optimize
