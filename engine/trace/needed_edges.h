// Drops control edges that another path through the graph implies.
#pragma once

#include "engine/graph/graph.h"

#include <span>
#include <vector>

namespace footlight::trace {

struct ControlEdge {
  NodeId from, to;
};

// Removes those of `edges` that another input of the node implies. `edges` are control inputs, in the order of the
// nodes that have them.
void remove_implied(Graph& graph, std::span<const ControlEdge> edges);

}  // namespace footlight::trace
