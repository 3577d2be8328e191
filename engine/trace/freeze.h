// Values in place of variables: a graph that reads variables as one that has their values as constants.
#pragma once

#include "engine/graph/graph.h"

#include <span>

namespace footlight::trace {

// A copy of `graph` without its captures, the inputs after the parameters, which become constants: variables (with
// the value that they have now) and tensors. Graphs that it calls are copied where they get a variable. Throws kValue
// where something else than reading is done with one.
GraphPtr freeze(const Graph& graph, std::span<const Tensor> captures);

}  // namespace footlight::trace
