// The verifier of rewrites: what must hold after every pass.
#pragma once

#include "engine/optimize/program_rewrite.h"

namespace footlight::optimize {

// Throws kInternal naming the pass, the graph, the node and the violation.
void verify(const ProgramRewrite&, const char* pass);

}  // namespace footlight::optimize
