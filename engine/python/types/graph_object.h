// tf.Graph and tf.Operation as C++ makes them.
#pragma once

#include "engine/graph/graph.h"
#include "engine/python/interpreter/ref.h"

namespace footlight::python {

Ref graph_object(GraphPtr);
Ref operation_object(GraphPtr, NodeId);
// Of a symbolic tensor: the operation that makes it, and its graph.
Ref operation_of(const Tensor&);
Ref graph_of(const Tensor&);
bool is_operation(PyObject*);
NodeId node_of(PyObject* operation);
const GraphPtr& graph_with(PyObject* operation);  // the one that the operation is in

void init_graph_objects();

}  // namespace footlight::python
