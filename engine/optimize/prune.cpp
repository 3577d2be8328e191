// a = f(x); b = g(x); return b   ->   b = g(x); return b
// Nodes that neither reach an output nor have an effect do not run, and so cannot fail. Reading a variable is not an
// effect, and neither is calling a graph without effects.
#include "engine/optimize/rewrite.h"

#include <algorithm>
#include <unordered_map>

namespace footlight::optimize {
namespace {

class Effects {
 public:
  bool has_effect(const Node& node) {
    switch (node.op->effect) {
      case Effect::kNone:
      case Effect::kReads: return false;
      case Effect::kWrites: return true;
      case Effect::kOther: break;
    }
    if (node.op->execution == Execution::kKernel) return true;
    // Branches, loops and calls have the effects of their graphs.
    return std::ranges::any_of(node.attrs, [this](const auto& attr) {
      const GraphPtr* callee = std::get_if<GraphPtr>(&attr.second);
      return callee && *callee && has_effect(**callee);
    });
  }

 private:
  bool has_effect(const Graph& graph) {
    if (const auto at = known_.find(&graph); at != known_.end()) return at->second;
    bool any = false;
    for (uint32_t i = 0; i < graph.size() && !any; ++i) any = has_effect(graph.node(NodeId(i)));
    return known_[&graph] = any;
  }
  std::unordered_map<const Graph*, bool> known_;
};

}  // namespace

void prune(Rewrite& rewrite, Keep keep) {
  rewrite.begin("prune");
  Effects effects;
  std::vector<bool> needed(rewrite.size(), false);
  auto need = [&](Edge edge) { needed[rewrite.resolve(edge).node.value] = true; };
  for (Edge edge : rewrite.graph().outputs) need(edge);
  // Inputs come before their users, so a backward walk visits every user first.
  const std::vector<NodeId> order = rewrite.order();
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const Node& node = rewrite.node(*at);
    if (!rewrite.live(*at)) continue;
    if (keep == Keep::kOutputsAndEffects && effects.has_effect(node)) needed[at->value] = true;
    if (!needed[at->value]) continue;
    for (Edge edge : node.inputs) need(edge);
  }
  for (const NodeId id : order)
    if (!needed[id.value]) rewrite.remove(id);
}

}  // namespace footlight::optimize
