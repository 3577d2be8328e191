// Queries about loops, and how nodes that run graphs get another interface.
#pragma once

#include "engine/optimize/unit.h"

namespace footlight::optimize {

// The variables that a loop's body returns as it got them.
std::vector<bool> unchanged_variables(const Rewrite& body);

// Whether no other node runs one of the graphs of this one, so that they may change with it.
bool has_own_graphs(const Unit&, const Rewrite& caller, NodeId);

// `changed` is this node with other inputs and outputs, and takes its place. `old`: of its outputs, from the first one
// on, which of the node's they are.
void change_interface(Rewrite& caller, NodeId id, Node changed, const std::vector<uint32_t>& old, const char* suffix);

// Adds a parameter to a graph that is new, before node `before`.
NodeId add_parameter(Rewrite&, DType, const Shape&, NodeId before, std::string name);

}  // namespace footlight::optimize
