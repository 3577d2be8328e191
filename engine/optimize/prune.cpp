// a = f(x); b = g(x); return b   ->   b = g(x); return b
// What neither reaches an output nor has an effect does not run, and so cannot fail. Reading a variable is no effect.
#include "engine/optimize/rewrite.h"

#include <string_view>

namespace footlight::optimize {
namespace {

bool has_effect(const Node& node) {
  const std::string_view op = node.op->name;
  return node.op->stateful && op != "ReadVariableOp" && op != "NoOp" && op != "VarIsInitializedOp" &&
         op != "VariableShape";
}

}  // namespace

void prune(Rewrite& rewrite, Keep keep) {
  const Graph& graph = rewrite.graph;
  std::vector<bool> needed(graph.size(), false);
  auto need = [&](Edge edge) {
    const Edge from = rewrite.resolve(edge);
    needed[from.node.value] = true;
  };
  for (Edge edge : graph.outputs) need(edge);
  // Inputs come before their users, so one walk from the back sees every user first.
  for (uint32_t i = static_cast<uint32_t>(graph.size()); i-- > 0;) {
    const Node& node = graph.node(NodeId(i));
    if (keep == Keep::kOutputsAndEffects && has_effect(node)) needed[i] = true;
    if (!needed[i] || rewrite.value[i]) continue;
    for (Edge edge : node.inputs) need(edge);
  }
  for (uint32_t i = 0; i < graph.size(); ++i) rewrite.live[i] = rewrite.live[i] && needed[i];
}

Rewrite optimize(const Graph& graph, Evaluator evaluate, Keep keep) {
  Rewrite rewrite(graph);
  forward_identities(rewrite);
  prune(rewrite, keep);  // before folding: what is never needed need not be computed now either
  fold_constants(rewrite, evaluate);
  prune(rewrite, keep);
  return rewrite;
}

}  // namespace footlight::optimize
