// Adds nodes of GraphDef files, and parts of other graphs, to the graph that is being built.
#pragma once

#include "engine/python/interpreter/ref.h"

namespace footlight::python {

void init_graph_parts(PyObject* module);

}  // namespace footlight::python
