// The verifier of rewrites: what must hold after every pass.
#pragma once

#include "engine/optimize/unit.h"

namespace footlight::optimize {

// Throws kInternal naming the pass, the graph, the node and the violation.
void verify(const Unit&, const char* pass);

}  // namespace footlight::optimize
