// Outside control inputs: nodes of enclosing graphs that must run before a function, branch or loop begins.
#pragma once

#include "engine/trace/graph_builder.h"

namespace footlight::trace {

// Makes calls of the graph that `builder` builds wait for a node of `around`. False if `around` is not a graph being
// built around that one.
bool run_after(GraphBuilder& builder, const GraphPtr& around, NodeId node);

// The control inputs of a node with these attributes: the open scope's, and what the graphs it calls wait for.
std::vector<NodeId> control_inputs_of(GraphBuilder& builder, const Attrs& attrs);

}  // namespace footlight::trace
