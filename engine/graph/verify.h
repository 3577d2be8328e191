// The verifier: invariants of every graph, after tracing and after each pass.
#pragma once

#include "engine/graph/graph.h"

namespace footlight {

// Throws kInternal naming the graph, the node and the violation.
void verify(const Graph&);

}  // namespace footlight
