// A graph as GraphDef: the message tree that `as_graph_def()` hands out and its text form.
#pragma once

#include "engine/graph/graph.h"
#include "engine/graph/proto.h"

namespace footlight {

// The nodes of `graph` with the functions that they call as a library.
std::shared_ptr<proto::Message> to_graph_def(const Graph& graph);
std::shared_ptr<proto::Message> to_node_def(const Graph& graph, NodeId);

// "float32 (32, 16)" for messages and recordings.
std::string describe(DType, const Shape&);
// The value of a small constant on one line, a summary of a large one.
std::string describe_value(const Tensor&, size_t limit = 120);
// "T=float32; keep_dims=false": an op's attributes on one line, the value of a constant left out.
std::string describe_attrs(const Node&);

}  // namespace footlight
