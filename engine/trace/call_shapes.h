// Infers the shapes of a call's results if more is known of its arguments than the called function assumed.
#pragma once

#include "engine/graph/graph.h"

#include <span>
#include <vector>

namespace footlight::trace {

// One shape per output: the graph's own, or one inferred from the inputs' shapes and constants.
std::vector<Shape> call_shapes(const Graph& callee, std::span<const Tensor> inputs);

}  // namespace footlight::trace
