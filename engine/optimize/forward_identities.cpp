// y = Identity(x); z = f(y)   ->   z = f(x)
// A tensor does not change once it is made, so that a copy of it says nothing more.
#include "engine/optimize/rewrite.h"

#include <string_view>

namespace footlight::optimize {

void forward_identities(Rewrite& rewrite) {
  for (uint32_t i = 0; i < rewrite.graph.size(); ++i) {
    const Node& node = rewrite.graph.node(NodeId(i));
    if (std::string_view(node.op->name) == "Identity") rewrite.forward[i] = rewrite.resolve(node.inputs[0]);
  }
}

}  // namespace footlight::optimize
