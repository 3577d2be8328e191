// Gradients of loops.
#include "engine/base/text.h"
#include "engine/ops/row.h"

namespace footlight::trace {

void loop_gradient(GradientCall& call) {
  fail(ErrorKind::kLookup, "there is no gradient of ", call.row.name, " yet: unroll the loop with Python's range, or compute the gradient eagerly");
}

}  // namespace footlight::trace
