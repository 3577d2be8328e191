// y = Identity(x); z = f(y)   ->   z = f(x)
// Tensors are immutable, so an identity is redundant, except under tf.device, where it moves the tensor to that
// device.
#include "engine/optimize/optimize.h"

namespace footlight::optimize {

void forward_identities(Rewrite& rewrite) {
  for (const NodeId id : rewrite.order()) {
    const Node& node = rewrite.node(id);
    if (rewrite.is_live(id) && node.op->alias == Alias::kSame && node.device.empty() && !rewrite.is_replaced({id, 0}))
      rewrite.replace({id, 0}, node.inputs[static_cast<size_t>(node.op->alias_input)]);
  }
}

}  // namespace footlight::optimize
