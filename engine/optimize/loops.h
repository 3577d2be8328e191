// What passes ask about loops, and how they change the inputs and outputs of nodes that run graphs.
#pragma once

#include "engine/optimize/program_rewrite.h"

namespace footlight::optimize {

// For each loop variable, whether the body returns it unchanged.
std::vector<bool> loop_invariants(const Rewrite& body);

// Whether no other node runs the graphs of this one, so that they may change together with it.
bool has_own_graphs(const ProgramRewrite&, const Rewrite& caller, NodeId);

// Puts `changed`, a copy of node `id` with other inputs and outputs, in its place. Output k of the new node has the
// value of output old[k] of the old one.
void change_interface(Rewrite& caller, NodeId id, Node changed, const std::vector<uint32_t>& old, const char* suffix);

// Adds an input to a graph, as a Placeholder before node `before`.
NodeId add_parameter(Rewrite&, DType, const Shape&, NodeId before, std::string name);

}  // namespace footlight::optimize
