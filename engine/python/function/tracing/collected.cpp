// The graphs of functions that are called between tf.summary.trace_on() and trace_export().
#include "engine/python/function/tracing/collected.h"

#include "engine/python/function/tracing/trace_entry.h"
#include "engine/python/interpreter/lists.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/types/graph_object.h"

#include <algorithm>

namespace footlight::python {

std::vector<GraphPtr>* collected_graphs = nullptr;

void collect_graph(const TraceEntry& entry) {
  const GraphPtr graph = entry.concrete->graph();
  if (std::ranges::find(*collected_graphs, graph) == collected_graphs->end()) collected_graphs->push_back(graph);
}

namespace {

PyObject* collect_graphs(PyObject*, PyObject* on) {
  delete std::exchange(collected_graphs, nullptr);
  if (on == Py_True) collected_graphs = new std::vector<GraphPtr>;
  Py_RETURN_NONE;
}

PyObject* get_collected_graphs(PyObject*, PyObject*) {
  return guarded([] {
    return list_of(collected_graphs ? *collected_graphs : std::vector<GraphPtr>(), graph_object).release();
  });
}

PyMethodDef functions[] = {
    {"collect_graphs", guard<collect_graphs>, METH_O, "collect_graphs(on)\n--\n\nBegins or ends a collection."},
    {"collected_graphs", get_collected_graphs, METH_NOARGS, "collected_graphs()\n--\n\nThe graphs called since then."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_collected(PyObject* module) { if (PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet(); }

}  // namespace footlight::python
