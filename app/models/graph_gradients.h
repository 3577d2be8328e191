// Which op a gradient's node belongs to, where the structure of the graph says so.
#pragma once

#include "engine/session/records.h"

#include <vector>

namespace footlight::app {

// By position in the graph: the position of the op whose gradient the node computes, else the size of the graph.
std::vector<size_t> forward_ops(const session::GraphRecord& graph);

}  // namespace footlight::app
