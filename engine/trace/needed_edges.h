// Which control edges are needed: those that no other way through the graph implies.
#pragma once

#include "engine/graph/graph.h"

#include <span>
#include <vector>

namespace footlight::trace {

struct ControlEdge {
  NodeId from, to;
};

// Removes those of `edges`, control inputs in the order of the nodes that have them, that another input of the node
// implies.
void remove_implied(Graph& graph, std::span<const ControlEdge> edges);

}  // namespace footlight::trace
