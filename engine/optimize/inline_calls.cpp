// y = f(x), where f(a) = Exp(Neg(a))   ->   y = Exp(Neg(x))
// Small functions, and those that are called from one place, so that passes see what goes in and comes out. What runs
// keeps its order, names and lines.
#include "engine/optimize/optimize.h"
#include "engine/optimize/splice.h"

namespace footlight::optimize {
namespace {

constexpr size_t kSmall = 24;         // nodes of a function that is copied to wherever it is called
constexpr size_t kMaxCopied = 4096;  // nodes that come into one graph in a round by copies

bool is_inlined(const Rewrite& caller, NodeId id) {
  const Node& node = caller.node(id);
  return caller.live(id) && node.op->execution == Execution::kCall && node.device.empty();
}

// Whether the graph moves into the only one that calls it.
bool moves(const Rewrite& callee, const Unit& unit) {
  const std::vector<Unit::Site>& sites = unit.sites(callee);
  return sites.size() == 1 && sites[0].caller != &callee && is_inlined(*sites[0].caller, sites[0].node);
}

}  // namespace

void inline_calls(Rewrite& rewrite, Unit& unit) {
  // A callee that will move waits for the graph at the end of the chain of calls: else each graph of the chain gets it.
  if (&rewrite != &unit.root() && moves(rewrite, unit)) return;
  size_t copied = 0;
  std::vector<NodeId> calls = rewrite.controls();
  for (size_t i = 0; i < calls.size(); ++i) {
    const NodeId id = calls[i];
    if (!is_inlined(rewrite, id)) continue;
    const Node& node = rewrite.node(id);
    const Rewrite& callee = unit.of(*callees_of(node)[0]);
    if (&callee == &rewrite) continue;
    const size_t before = rewrite.controls().size();
    if (moves(callee, unit)) {
      splice(rewrite, id, callee, node.inputs);
      calls.insert(calls.end(), rewrite.controls().begin() + static_cast<ptrdiff_t>(before), rewrite.controls().end());
      continue;
    }
    const size_t nodes = live_nodes(callee);
    if (nodes > kSmall || copied + nodes > kMaxCopied) continue;
    copied += nodes;
    splice(rewrite, id, callee, node.inputs);
  }
}

}  // namespace footlight::optimize
