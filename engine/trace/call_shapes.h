// The shapes of a call's results where more is known of its arguments than the function that is called took
// for granted.
#pragma once

#include "engine/graph/graph.h"

#include <span>
#include <vector>

namespace footlight::trace {

// One shape for each output: those of the graph, or what follows from the inputs' shapes and constants.
std::vector<Shape> call_shapes(const Graph& callee, std::span<const Tensor> inputs);

}  // namespace footlight::trace
