// Freezes variables: turns a graph that reads variables into one that has their values as constants.
#pragma once

#include "engine/graph/graph.h"

#include <span>

namespace footlight::trace {

// A copy of `graph` without captures: the inputs after the parameters become constants, which are tensors or the
// present values of variables. Graphs that it calls are copied if they get a variable. Throws kValue if a variable is
// used other than by reading it.
GraphPtr freeze(const Graph& graph, std::span<const Tensor> captures);

}  // namespace footlight::trace
