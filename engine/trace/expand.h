// Prepares a graph for other programs: replaces our own ops by calls of functions that consist of TensorFlow's ops.
#pragma once

#include "engine/graph/graph.h"

namespace footlight::trace {

// Returns the graph itself if nothing has to be replaced. Ops that cannot be expressed stay.
GraphPtr expanded(const GraphPtr&);

}  // namespace footlight::trace
