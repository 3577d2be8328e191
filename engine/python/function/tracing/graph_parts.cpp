// Adds nodes of files and parts of graphs to the graph that is being built, for tf.import_graph_def, prune() and
// Session.run().
#include "engine/python/function/tracing/graph_parts.h"

#include "engine/base/text.h"
#include "engine/graph/import.h"
#include "engine/python/interpreter/formats_api.h"
#include "engine/python/interpreter/lists.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/dtype_object.h"
#include "engine/python/types/graph_object.h"
#include "engine/python/types/objects.h"
#include "engine/python/types/shape_object.h"
#include "engine/trace/concrete.h"
#include "engine/trace/inline.h"

namespace footlight::python {
namespace {

trace::GraphBuilder& builder_for(const char* what) {
  trace::GraphBuilder* builder = trace::GraphBuilder::innermost();
  if (!builder)
    fail(ErrorKind::kRuntime, what,
         " needs a graph to add to: use it inside of a function that is traced, or "
         "of `with tf.Graph().as_default():`");
  return *builder;
}

Edge edge_in(PyObject* tensor, const Graph& graph) {
  if (!is_tensor(tensor) || !tensor_of(tensor).is_symbolic() || tensor_of(tensor).graph() != &graph)
    fail(ErrorKind::kValue, "expected a tensor of the graph '", graph.name(), "', got ",
         readable(checked(PyObject_Repr(tensor)).get()));
  return {tensor_of(tensor).node(), tensor_of(tensor).output()};
}

// import_graph_def(graph_def, inputs, elements, prefix, producer_ops): `inputs` are pairs of a name and a tensor, or
// of
// "^name" and an operation.
PyObject* import_graph_def(PyObject*, PyObject* arguments) {
  PyObject *graph_def, *inputs, *elements, *prefix, *producer_ops;
  if (!PyArg_ParseTuple(arguments, "OO!O!UO", &graph_def, &PyList_Type, &inputs, &PyList_Type, &elements, &prefix,
                        &producer_ops))
    return nullptr;
  trace::GraphBuilder& builder = builder_for("tf.import_graph_def");
  GraphImport import{*builder.graph(),
                     [&](Node node) { return builder.adopt(std::move(node)); },
                     std::string(utf8(prefix)),
                     {},
                     {},
                     {},
                     {}};
  for (PyObject* pair : Items(inputs)) {
    const std::string name(utf8(PyTuple_GetItem(pair, 0)));
    PyObject* value = PyTuple_GetItem(pair, 1);
    if (!value) throw PythonErrorSet();
    if (name.starts_with('^')) {
      const auto [graph, node] = node_in_object(value, "input_map");
      if (graph != builder.graph())
        fail(ErrorKind::kValue, "input_map: the operation for '", name, "' is one of another graph");
      import.controls.emplace_back(name.substr(1), node);
      continue;
    }
    const Tensor own = builder.as_own(to_tensor(value));
    import.inputs.emplace_back(name, Edge{own.node(), own.output()});
  }
  for (PyObject* element : Items(elements)) import.wanted.emplace_back(utf8(element));
  formats_api().import_graph_def(graph_def, producer_ops, import);
  return list_of(import.found, [&](const GraphImport::Element& element) {
           if (element.output < 0) return operation_object(builder.graph(), element.node);
           return checked(wrap(builder.graph()->tensor({element.node, static_cast<uint32_t>(element.output)})));
         }).release();
}

// What random ops of a graph continue, for one session: random_states() makes it, inline_graph() takes it.
constexpr const char* kStates = "footlight.random_states";

void forget_states(PyObject* capsule) { delete static_cast<trace::OwnStates*>(PyCapsule_GetPointer(capsule, kStates)); }

PyObject* random_states(PyObject*, PyObject*) {
  return guarded([] {
    auto states = std::make_unique<trace::OwnStates>();
    Ref capsule = checked(PyCapsule_New(states.get(), kStates, forget_states));
    states.release();
    return capsule.release();
  });
}

// graph_seed(graph), graph_seed(graph, seed): the seed of a tf.Graph, or None, which the second gives it first.
PyObject* graph_seed(PyObject*, PyObject* arguments) {
  PyObject *graph_object, *seed = nullptr;
  if (!PyArg_ParseTuple(arguments, "O|O", &graph_object, &seed)) return nullptr;
  const GraphPtr graph = graph_in_object(graph_object, "tf.Graph.seed");
  if (seed == Py_None) {
    graph->seed.seed.reset();
  } else if (seed) {
    const long long number = PyLong_AsLongLong(seed);
    if (number == -1 && PyErr_Occurred()) return nullptr;
    graph->seed.seed = number;
  }
  if (!graph->seed.seed) Py_RETURN_NONE;
  return PyLong_FromLongLong(*graph->seed.seed);
}

// inline_graph(graph, feeds, values, fetches, targets, any_shapes=False, states=None): tensors of the graph, tensors in
// place of them, which may be allowed to have other shapes, what is wanted, and the states of random ops instead of the
// graph's.
PyObject* inline_graph(PyObject*, PyObject* arguments) {
  PyObject *graph_object, *feeds, *values, *fetches, *targets, *states_object = nullptr;
  int any_shapes = 0;
  if (!PyArg_ParseTuple(arguments, "OO!O!O!O!|pO", &graph_object, &PyList_Type, &feeds, &PyList_Type, &values,
                        &PyList_Type, &fetches, &PyList_Type, &targets, &any_shapes, &states_object))
    return nullptr;
  trace::OwnStates* states = nullptr;
  if (states_object) {
    states = static_cast<trace::OwnStates*>(PyCapsule_GetPointer(states_object, kStates));
    if (!states) return nullptr;
  }
  const GraphPtr graph = graph_in_object(graph_object, "inline_graph");
  trace::GraphBuilder& builder = builder_for("inline_graph");
  const Items given(values);
  std::vector<std::pair<Edge, Tensor>> fed;
  for (PyObject* feed : Items(feeds)) {
    const auto at = static_cast<Py_ssize_t>(fed.size());
    if (at >= given.size()) fail(ErrorKind::kValue, "there are more feeds than values");
    fed.emplace_back(edge_in(feed, *graph), to_tensor(given[at]));
  }
  std::vector<Edge> wanted;
  for (PyObject* fetch : Items(fetches)) wanted.push_back(edge_in(fetch, *graph));
  std::vector<NodeId> nodes;
  for (PyObject* target : Items(targets)) {
    const auto [owner, node] = node_in_object(target, "inline_graph");
    if (owner != graph)
      fail(ErrorKind::kValue, "the operation '", owner->node(node).name, "' is one of another graph");
    nodes.push_back(node);
  }
  const auto shapes = any_shapes ? trace::FedShapes::kAnyShapes : trace::FedShapes::kMustFit;
  return wrap_all(trace::inline_graph(builder, *graph, fed, wanted, nodes, shapes, states));
}

// What is traced now runs as it is written: no order of effects is added, and outputs keep their names.
PyObject* as_written(PyObject*, PyObject*) {
  return guarded([]() -> PyObject* {
    builder_for("as_written").as_written = true;
    Py_RETURN_NONE;
  });
}

// placeholder(dtype, shape, name): a value that is fed.
PyObject* placeholder(PyObject*, PyObject* arguments) {
  PyObject *dtype, *shape, *name;
  if (!PyArg_ParseTuple(arguments, "OOU", &dtype, &shape, &name)) return nullptr;
  Attrs attrs;
  attrs.set("dtype"_attr, dtype_from_object(dtype));
  attrs.set("shape"_attr, shape_from_object(shape));
  return wrap(builder_for("tf.placeholder").emit_one("Placeholder"_op.row(), {}, attrs, utf8(name)));
}

// What calls of traced functions say of how they want to run; gives what they said before.
PyObject* set_executor_type(PyObject*, PyObject* type) {
  return text_object(std::exchange(trace::executor_type(), readable(type))).release();
}

PyMethodDef functions[] = {
    {"set_executor_type", guard<set_executor_type>, METH_O, "Names the executor that calls in graphs ask for."},
    {"placeholder", guard<placeholder>, METH_VARARGS, "Adds a Placeholder to the graph being built."},
    {"import_graph_def", guard<import_graph_def>, METH_VARARGS,
     "Adds the nodes of a GraphDef to the graph being built."},
    {"inline_graph", guard<inline_graph>, METH_VARARGS, "Adds a part of another graph to the graph being built."},
    {"random_states", random_states, METH_NOARGS, "Makes the states of random ops of one session."},
    {"graph_seed", guard<graph_seed>, METH_VARARGS, "graph_seed(graph[, seed])\n--\n\nThe seed of a tf.Graph."},
    {"as_written", as_written, METH_NOARGS, "The graph being built runs as it is written."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_graph_parts(PyObject* module) { if (PyModule_AddFunctions(module, functions) < 0) throw PythonErrorSet(); }

}  // namespace footlight::python
