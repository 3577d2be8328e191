// y = If(true, x; then f, else g); z = While(10, y; cond i < 0, body h)   ->   y = f(x); z = y
// A branch whose condition is known is replaced by what it takes; a loop whose condition is false at first, by its
// inputs.
#include "engine/optimize/effects.h"
#include "engine/optimize/first_condition.h"
#include "engine/optimize/optimize.h"
#include "engine/optimize/splice.h"

#include <optional>

namespace footlight::optimize {
namespace {

// The branch that is taken: the first for true; by number, the last one also for all numbers without a branch.
std::optional<size_t> taken_of(const Tensor* choice, size_t branches) {
  if (!choice || choice->elements() != 1) return {};
  if (choice->dtype() == DType::kBool) return *choice->data<bool>() ? 0 : 1;
  if (choice->dtype() != DType::kInt32) return {};
  const int32_t number = *choice->data<int32_t>();
  return number >= 0 && static_cast<size_t>(number) < branches ? static_cast<size_t>(number) : branches - 1;
}

}  // namespace

void constant_branches(Rewrite& rewrite, Unit& unit) {
  const size_t count = rewrite.controls().size();  // controls that are added now are visited in the next round
  for (size_t i = 0; i < count; ++i) {
    const NodeId id = rewrite.controls()[i];
    if (!rewrite.live(id)) continue;
    const Node& node = rewrite.node(id);
    if (node.op->execution == Execution::kIf) {
      const std::vector<const Graph*> branches = callees_of(node);
      const std::optional<size_t> taken = taken_of(rewrite.constant(node.inputs[0]), branches.size());
      if (taken) splice(rewrite, id, unit.of(*branches[*taken]), std::span(node.inputs).subspan(1));
    } else if (node.op->execution == Execution::kWhile && !Effects().has_effect(*callees_of(node)[0]) &&
               first_condition(rewrite, id, unit) == false) {
      for (uint32_t k = 0; k < node.dtypes.size(); ++k)
        if (!rewrite.replaced({id, k})) rewrite.replace({id, k}, node.inputs[k]);
      rewrite.remove(id);
    }
  }
}

}  // namespace footlight::optimize
