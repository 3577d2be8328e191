// A graph as GraphDef: what `as_graph_def()` hands out.
#pragma once

#include "engine/formats/graph_def.pb.h"
#include "engine/graph/graph.h"

namespace footlight::formats {

// The version of GraphDef that is written, and the latest that is read.
inline constexpr int kProducer = 2474;

// The nodes of `graph`, and the functions that they call as a library.
GraphDef to_graph_def(const Graph& graph);
// Functions as a library, with all that they call; `names` gets the name of each there.
FunctionDefLibrary to_library(const std::vector<GraphPtr>& functions, std::vector<std::string>& names);
NodeDef to_node_def(const Graph& graph, NodeId node);
// A row as TensorFlow defines an op: what is said of commutative ones, and how long lists must be, is left out.
OpDef to_op_def(const OpRow& row);
TensorProto to_tensor_proto(const Tensor& tensor);

// Protobuf's text form, with numbers as Python prints them.
std::string text_of(const google::protobuf::Message& message);
// The bytes of a message, maps in the order of their keys: the same message gives the same bytes.
std::string bytes_of(const google::protobuf::Message& message);

}  // namespace footlight::formats
