// y = If(true, x; then f, else g); z = While(10, y; cond i < 0, body h)   ->   y = f(x); z = y
// Replaces a branch whose condition is known by the nodes of the branch taken, and a loop whose condition is false at
// first by its inputs.
#include "engine/optimize/effects.h"
#include "engine/optimize/first_condition.h"
#include "engine/optimize/optimize.h"
#include "engine/optimize/splice.h"

#include <optional>

namespace footlight::optimize {
namespace {

// The index of the branch that runs: for a bool, the first one if true; for a number without a branch, the last one.
std::optional<size_t> taken_branch(const Tensor* choice, size_t branches) {
  if (!choice || choice->elements() != 1) return {};
  if (choice->dtype() == DType::kBool) return *choice->data<bool>() ? 0 : 1;
  if (choice->dtype() != DType::kInt32) return {};
  const int32_t number = *choice->data<int32_t>();
  return number >= 0 && static_cast<size_t>(number) < branches ? static_cast<size_t>(number) : branches - 1;
}

}  // namespace

void constant_branches(Rewrite& rewrite, ProgramRewrite& program) {
  const size_t count = rewrite.control_flow_nodes().size();  // nodes that are added now are visited in the next round
  for (size_t i = 0; i < count; ++i) {
    const NodeId id = rewrite.control_flow_nodes()[i];
    if (!rewrite.is_live(id)) continue;
    const Node& node = rewrite.node(id);
    if (node.op->execution == Execution::kIf) {
      const std::vector<const Graph*> branches = callees_of(node);
      const std::optional<size_t> taken = taken_branch(rewrite.constant(node.inputs[0]), branches.size());
      if (taken) splice(rewrite, id, program.rewrite_of(*branches[*taken]), std::span(node.inputs).subspan(1));
    } else if (node.op->execution == Execution::kWhile && !Effects().has_effect(*callees_of(node)[0]) &&
               first_condition(rewrite, id, program) == false) {
      for (uint32_t k = 0; k < node.dtypes.size(); ++k)
        if (!rewrite.is_replaced({id, k})) rewrite.replace({id, k}, node.inputs[k]);
      rewrite.remove(id);
    }
  }
}

}  // namespace footlight::optimize
