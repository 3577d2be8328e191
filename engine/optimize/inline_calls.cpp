// y = f(x), where f(a) = Exp(Neg(a))   ->   y = Exp(Neg(x))
// Small functions, and those that are called from one place, so that passes see what goes in and comes out. What runs
// keeps its order, names and lines.
#include "engine/optimize/optimize.h"
#include "engine/optimize/splice.h"

namespace footlight::optimize {
namespace {

constexpr size_t kSmall = 24;         // nodes of a function that is copied to wherever it is called
constexpr size_t kMostCopied = 4096;  // nodes that come into one graph in a round by copies

}  // namespace

void inline_calls(Rewrite& rewrite, Unit& unit) {
  size_t copied = 0;
  const size_t count = rewrite.controls().size();
  for (size_t i = 0; i < count; ++i) {
    const NodeId id = rewrite.controls()[i];
    const Node& node = rewrite.node(id);
    if (!rewrite.live(id) || node.op->execution != Execution::kCall || !node.device.empty()) continue;
    const Rewrite& callee = unit.of(*callees_of(node)[0]);
    if (&callee == &rewrite) continue;
    const size_t nodes = live_nodes(callee);
    const bool once = unit.sites(callee).size() == 1;
    if (!once && (nodes > kSmall || copied + nodes > kMostCopied)) continue;
    if (!once) copied += nodes;
    splice(rewrite, id, callee, node.inputs);
  }
}

}  // namespace footlight::optimize
