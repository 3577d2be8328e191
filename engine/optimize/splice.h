// Puts the nodes of a graph in the place of a node that runs it.
#pragma once

#include "engine/optimize/unit.h"

namespace footlight::optimize {

// Copies what lives of `callee` before `site`, which is then gone: its outputs are what the callee's are when
// `arguments` are its inputs. The copies do the work of the callee's nodes, whose names and lines they keep.
void splice(Rewrite& caller, NodeId site, const Rewrite& callee, std::span<const Edge> arguments);

// How many nodes would be copied.
size_t live_nodes(const Rewrite&);

}  // namespace footlight::optimize
