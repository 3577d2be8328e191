// y = Identity(x); z = f(y)   ->   z = f(x)
// A tensor does not change once it is made, so that a copy of it says nothing more. Where tf.device stands around the
// identity, it moves the tensor there, and stays.
#include "engine/optimize/rewrite.h"

namespace footlight::optimize {

void forward_identities(Rewrite& rewrite) {
  for (const NodeId id : rewrite.order()) {
    const Node& node = rewrite.node(id);
    if (node.op->alias == Alias::kSame && node.device.empty())
      rewrite.replace("forward_identities", {id, 0}, node.inputs[static_cast<size_t>(node.op->alias_input)]);
  }
}

}  // namespace footlight::optimize
