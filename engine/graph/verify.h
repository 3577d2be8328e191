// The verifier: what must be true of every graph, after tracing and after each pass.
#pragma once

#include "engine/graph/graph.h"

namespace footlight {

// Throws kInternal that names the graph, the node and what is wrong with it.
void verify(const Graph&);

}  // namespace footlight
