// y = f(x), where f(a) = Exp(Neg(a))   ->   y = Exp(Neg(x))
// Inlines small functions, and those that are called from one place, so that passes see their arguments and results.
// The copies keep order, names and lines.
#include "engine/optimize/optimize.h"
#include "engine/optimize/splice.h"

namespace footlight::optimize {
namespace {

constexpr size_t kMaxSmall = 24;        // nodes of a function that is copied to wherever it is called
constexpr size_t kMaxCopied = 4096;  // nodes that small functions add to one graph in a round

bool may_inline(const Rewrite& caller, NodeId id) {
  const Node& node = caller.node(id);
  return caller.is_live(id) && node.op->execution == Execution::kCall && node.device.empty();
}

// Whether the graph has a single caller, into which its nodes move.
bool has_single_call(const Rewrite& callee, const ProgramRewrite& program) {
  const std::vector<ProgramRewrite::CallSite>& sites = program.call_sites(callee);
  return sites.size() == 1 && sites[0].caller != &callee && may_inline(*sites[0].caller, sites[0].node);
}

}  // namespace

void inline_calls(Rewrite& rewrite, ProgramRewrite& program) {
  // A graph that will itself move into its caller inlines nothing yet: otherwise, in a chain of calls, the innermost
  // graph would be copied once per level.
  if (&rewrite != &program.root() && has_single_call(rewrite, program)) return;
  size_t copied = 0;
  std::vector<NodeId> calls = rewrite.control_flow_nodes();
  for (size_t i = 0; i < calls.size(); ++i) {
    const NodeId id = calls[i];
    if (!may_inline(rewrite, id)) continue;
    const Node& node = rewrite.node(id);
    const Rewrite& callee = program.rewrite_of(*callees_of(node)[0]);
    if (&callee == &rewrite) continue;
    const size_t before = rewrite.control_flow_nodes().size();
    if (has_single_call(callee, program)) {
      splice(rewrite, id, callee, node.inputs);
      calls.insert(calls.end(), rewrite.control_flow_nodes().begin() + static_cast<ptrdiff_t>(before),
                   rewrite.control_flow_nodes().end());
      continue;
    }
    const size_t nodes = live_nodes(callee);
    if (nodes > kMaxSmall || copied + nodes > kMaxCopied) continue;
    copied += nodes;
    splice(rewrite, id, callee, node.inputs);
  }
}

}  // namespace footlight::optimize
