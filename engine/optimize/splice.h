// Inlines a graph: copies its nodes to the place of a node that runs it.
#pragma once

#include "engine/optimize/program_rewrite.h"

namespace footlight::optimize {

// Copies the live nodes of `callee` before `site` and removes `site`: its outputs become the callee's, with `arguments`
// as inputs. The copies keep the names and lines of the callee's nodes, whose work they do.
void splice(Rewrite& caller, NodeId site, const Rewrite& callee, std::span<const Edge> arguments);

// How many nodes would be copied.
size_t live_nodes(const Rewrite&);

}  // namespace footlight::optimize
