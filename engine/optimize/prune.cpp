// a = f(x); b = g(x); return b   ->   b = g(x); return b
// Nodes that neither reach an output nor have an effect do not run, and so cannot fail. Reading a variable is not an
// effect, and neither is calling a graph without effects.
#include "engine/optimize/effects.h"
#include "engine/optimize/optimize.h"

namespace footlight::optimize {

void prune(Rewrite& rewrite, Keep keep) {
  Effects effects;
  std::vector<bool> needed(rewrite.size(), false);
  auto need = [&](Edge edge) { needed[rewrite.resolve(edge).node.value] = true; };
  for (Edge edge : rewrite.outputs) need(edge);
  // Inputs come before their users, so going backwards visits every user first.
  const std::vector<NodeId> order = rewrite.order();
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const Node& node = rewrite.node(*at);
    if (!rewrite.is_live(*at)) continue;
    if (keep == Keep::kOutputsAndEffects && effects.has_effect(node)) needed[at->value] = true;
    if (!needed[at->value]) continue;
    for (Edge edge : node.inputs) need(edge);
  }
  for (const NodeId id : order)
    if (!needed[id.value]) rewrite.remove(id);
}

}  // namespace footlight::optimize
