// Control inputs from outside: nodes of graphs around a function, branch or loop that must have run before it begins.
#pragma once

#include "engine/trace/graph_builder.h"

namespace footlight::trace {

// Calls of the graph that `builder` builds wait for a node of `around`, a graph that is being built around that one.
// False where it is not.
bool run_after(GraphBuilder& builder, const GraphPtr& around, NodeId node);

// The control inputs of a node with these attributes: the open scope's, and those that the graphs it calls wait for.
std::vector<NodeId> control_inputs_of(GraphBuilder& builder, const Attrs& attrs);

}  // namespace footlight::trace
