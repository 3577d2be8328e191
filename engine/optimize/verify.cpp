// Checks order, dtypes and shapes of replaced values, and that callers and callees agree.
#include "engine/optimize/verify.h"

#include "engine/base/errors.h"
#include "engine/base/text.h"
#include "engine/optimize/effects.h"

#include <algorithm>

namespace footlight::optimize {
namespace {

class GraphVerifier {
 public:
  GraphVerifier(const ProgramRewrite& program, const Rewrite& rewrite, const char* pass)
      : program_(program), rewrite_(rewrite), pass_(pass) {}

  void check() {
    // Uses the compiler's order: nodes without inputs and effects run first.
    std::vector<NodeId> schedule = rewrite_.order();
    std::erase_if(schedule, [&](NodeId id) { return !rewrite_.is_live(id); });
    std::ranges::stable_partition(schedule, [&](NodeId id) {
      return rewrite_.node(id).inputs.empty() && !rewrite_.node(id).op->stateful();
    });
    // An unneeded node may read a removed one, because it is about to be pruned.
    std::vector<bool> needed(rewrite_.size(), false);
    const auto need = [&](Edge edge) { needed[rewrite_.resolve(edge).node.value] = true; };
    for (const Edge edge : rewrite_.outputs) need(edge);
    Effects effects;
    for (auto at = schedule.rbegin(); at != schedule.rend(); ++at) {
      if (effects.has_effect(rewrite_.node(*at))) needed[at->value] = true;
      if (needed[at->value]) std::ranges::for_each(rewrite_.node(*at).inputs, need);
    }
    std::erase_if(schedule, [&](NodeId id) { return !needed[id.value]; });
    ran_.assign(rewrite_.size(), false);
    for (const NodeId input : rewrite_.inputs) {
      if (rewrite_.node(input).op->execution != Execution::kPlaceholder) fail(input, "an input is no Placeholder");
      ran_[input.value] = true;
    }
    for (const NodeId id : schedule) check(id);
    for (const Edge edge : rewrite_.outputs) check(edge, edge.node, "is an output");
    check_replaced();
  }

 private:
  [[noreturn]] void fail(NodeId node, const std::string& what) const {
    throw Error(ErrorKind::kInternal, str("after ", pass_, ", graph '", rewrite_.graph().name(), "', node '",
                                          rewrite_.name(node), "': ", what));
  }

  void check(NodeId id) {
    const Node& node = rewrite_.node(id);
    if (node.op->execution == Execution::kPlaceholder && !ran_[id.value]) {
      // Parameters that a pass added and dropped again may not be read. Placeholders that were traced and that nobody
      // feeds are the user's: an error when they run.
      const Origin from = rewrite_.origin(id);
      if (!from.graph || std::ranges::count(from.graph->inputs, from.node)) return;
    }
    for (const Edge edge : node.inputs) check(edge, id, "is an input");
    if (node.dtypes.size() != node.shapes.size()) fail(id, "not as many shapes as dtypes");
    if (node.op->outputs != kVariableOutputs && node.dtypes.size() != node.op->outputs)
      fail(id, "not as many outputs as its op");
    if (runs_graphs(*node.op)) check_callees(id, node);
    ran_[id.value] = true;
  }

  void check(Edge edge, NodeId user, const char* use) const {
    const Edge from = rewrite_.resolve(edge);
    if (from.output >= rewrite_.node(from.node).dtypes.size())
      fail(user, str("output ", from.output, " of '", rewrite_.name(from.node), "' ", use));
    if (!rewrite_.is_live(from.node)) fail(user, str("'", rewrite_.name(from.node), "' ", use, " and was removed"));
    if (!ran_[from.node.value])
      fail(user, str("'", rewrite_.name(from.node), "' ", use, " and has not run before it"));
  }

  void check_replaced() const {
    for (uint32_t i = 0; i < rewrite_.size(); ++i) {
      const Node& node = rewrite_.node(NodeId(i));
      for (uint32_t k = 0; k < node.dtypes.size(); ++k) {
        const Edge value{NodeId(i), k}, by = rewrite_.resolve(value);
        if (rewrite_.dtype(by) != node.dtypes[k]) fail(value.node, "replaced by a value of another dtype");
        if (!program_.shapes_uncertain() && !compatible(rewrite_.shape(by), node.shapes[k]))
          fail(value.node, "replaced by a value of another shape");
      }
    }
  }

  void check_callees(NodeId id, const Node& node) const {
    const size_t given = node.inputs.size() - (node.op->execution == Execution::kIf ? 1 : 0);
    const std::vector<const Graph*> callees = callees_of(node);
    for (size_t k = 0; k < callees.size(); ++k) {
      const Rewrite& callee = program_.rewrite_of(*callees[k]);
      const bool condition = node.op->execution == Execution::kWhile && k == 0;
      if (callee.inputs.size() != given) fail(id, "its graph has another number of inputs");
      if (callee.outputs.size() != (condition ? 1 : node.dtypes.size()))
        fail(id, "its graph has another number of outputs");
      for (size_t i = 0; i < callee.outputs.size() && !condition; ++i)
        if (callee.dtype(callee.outputs[i]) != node.dtypes[i]) fail(id, "its graph has an output of another dtype");
      for (size_t i = 0; i < given; ++i)
        if (rewrite_.dtype(node.inputs[node.inputs.size() - given + i]) != callee.dtype({callee.inputs[i], 0}))
          fail(id, "its graph has an input of another dtype");
    }
  }

  const ProgramRewrite& program_;
  const Rewrite& rewrite_;
  const char* const pass_;
  std::vector<bool> ran_;
};

}  // namespace

void verify(const ProgramRewrite& program, const char* pass) {
  for (const Rewrite* rewrite : program.reachable()) GraphVerifier(program, *rewrite, pass).check();
}

}  // namespace footlight::optimize
