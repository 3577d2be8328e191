// The graphs of functions that are called between tf.summary.trace_on() and trace_export().
#pragma once

#include "engine/python/function/tracing/trace_entry.h"

#include <vector>

namespace footlight::python {

// The graphs of functions that are called, while somebody asks for them; else null.
extern std::vector<GraphPtr>* collected_graphs;
void collect_graph(const TraceEntry&);
void init_collected(PyObject* module);

}  // namespace footlight::python
