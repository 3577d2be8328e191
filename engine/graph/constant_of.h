// Values that are known before a graph runs, for shape rules.
#pragma once

#include "engine/graph/graph.h"

namespace footlight {

// The value of an edge if it is a constant, the shape of a tensor whose shape is known, or a little arithmetic on
// these; else an empty tensor.
Tensor constant_of(const Graph&, Edge);

}  // namespace footlight
