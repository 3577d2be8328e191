// Finds the op to which a gradient's node belongs, as far as the structure of the graph tells, and the picture that
// follows: the way back runs up beside the way forward.
#pragma once

#include "app/models/graph_plan.h"

#include <functional>

namespace footlight::app {

// For each position in the graph, the position of the op whose gradient the node computes, else the size of the graph.
std::vector<size_t> forward_ops(const session::GraphRecord& graph);

// Puts the boxes of gradients beside those of their ops, and turns the edges on the way back around for the layout.
// `forward`: forward_ops(). `shown`: the box in which a node stands, or -1.
void lay_back_beside(GraphPlan& plan, int area, const std::vector<size_t>& forward,
                     const std::function<int(size_t)>& shown);

}  // namespace footlight::app
