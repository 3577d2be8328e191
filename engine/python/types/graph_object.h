// tf.Graph and tf.Operation as C++ makes them.
#pragma once

#include "engine/graph/graph.h"
#include "engine/python/interpreter/ref.h"

#include <functional>
#include <utility>

namespace footlight::python {

Ref graph_object(GraphPtr);  // the same object as long as it lives
Ref operation_object(GraphPtr, NodeId);
// Throw kType for other objects: `what` says what for.
const GraphPtr& graph_in_object(PyObject*, const char* what);
std::pair<GraphPtr, NodeId> node_in_object(PyObject*, const char* what);
bool is_operation(PyObject*);
// How many nodes the graph has that is being built, if it is a tf.Graph; else 0.
size_t nodes_of_plain_graph();
// What an op without outputs gives: its operation in a tf.Graph that has grown since it had so many nodes; else None.
Ref operation_since(size_t nodes);
// Calls `read`, whose nodes come after an operation if they go into its graph.
Tensor after_operation(PyObject* operation, const std::function<Tensor()>& read);
// The operation that computes a symbolic tensor, and its graph.
Ref operation_of(const Tensor&);
Ref graph_of(const Tensor&);
// Calls the functions that were left with a graph for the end of its building.
void run_exit_callbacks(const GraphPtr&);
NodeId node_of(PyObject* operation);
const GraphPtr& graph_with(PyObject* operation);  // the one that the operation is in

void init_graph_objects();

}  // namespace footlight::python
