// y = If(true, x; then f, else g); z = While(10, y; cond i < 0, body h)   ->   y = f(x); z = y
// A branch whose condition is known is replaced by what it takes; a loop whose condition is false at first, by its
// inputs.
#include "engine/optimize/effects.h"
#include "engine/optimize/first_condition.h"
#include "engine/optimize/optimize.h"
#include "engine/optimize/splice.h"

namespace footlight::optimize {

void constant_branches(Rewrite& rewrite, Unit& unit) {
  const size_t count = rewrite.controls().size();  // those that come in now are looked at in the next round
  for (size_t i = 0; i < count; ++i) {
    const NodeId id = rewrite.controls()[i];
    if (!rewrite.live(id)) continue;
    const Node& node = rewrite.node(id);
    if (node.op->execution == Execution::kIf) {
      const Tensor* taken = rewrite.constant(node.inputs[0]);
      if (!taken || taken->dtype() != DType::kBool || taken->elements() != 1) continue;
      const Rewrite& branch = unit.of(*callees_of(node).graphs[*taken->data<bool>() ? 0 : 1]);
      splice(rewrite, id, branch, std::span(node.inputs).subspan(1));
    } else if (node.op->execution == Execution::kWhile && !Effects().has_effect(*callees_of(node).graphs[0]) &&
               first_condition(rewrite, id, unit) == false) {
      for (uint32_t k = 0; k < node.dtypes.size(); ++k)
        if (!rewrite.replaced({id, k})) rewrite.replace({id, k}, node.inputs[k]);
      rewrite.remove(id);
    }
  }
}

}  // namespace footlight::optimize
