// Values that are known before a graph runs, for shape rules.
#pragma once

#include "engine/graph/graph.h"

#include <functional>

namespace footlight {

// The value of an edge if it is a constant, the shape of a tensor whose shape is known, or a little arithmetic on
// these; else an empty tensor. `input` gives known values of the graph's inputs; null: none is known.
using KnownInput = std::function<Tensor(NodeId)>;
Tensor constant_of(const Graph&, Edge, const KnownInput& input = nullptr);

}  // namespace footlight
