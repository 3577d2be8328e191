// Graphs as Python objects: Graph and Operation. footlight._formats converts them to messages.
#include "engine/python/types/graph_object.h"

#include "engine/base/text.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/lists.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/source.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/types.h"
#include "engine/python/types/objects.h"
#include "engine/python/types/shape_object.h"
#include "engine/trace/expand.h"
#include "engine/trace/graph_builder.h"

#include <cstddef>
#include <map>
#include <unordered_map>

namespace footlight::python {
namespace {

// The object of each graph that has one.
std::unordered_map<const Graph*, PyObject*>& objects() {
  static auto& all = *new std::unordered_map<const Graph*, PyObject*>;
  return all;
}

struct PyGraph {
  PyObject_HEAD
  GraphPtr graph;
  Ref state;  // a dictionary for members written in Python; null until it is asked for
  PyObject* weakrefs;
  ~PyGraph() {
    state = {};
    objects().erase(graph.get());
  }
};
PyTypeObject graph_type = {PyVarObject_HEAD_INIT(nullptr, 0)};
const GraphPtr& graph_in(PyObject* o) { return reinterpret_cast<PyGraph*>(o)->graph; }
PyObject* graph_new(PyTypeObject*, PyObject* arguments, PyObject* keywords) {
  if (PyTuple_GET_SIZE(arguments) > 0 || (keywords && PyDict_GET_SIZE(keywords) > 0))
    fail(ErrorKind::kType, "tf.Graph() takes no arguments");
  auto graph = std::make_shared<Graph>("graph");
  graph->is_function = false;
  return graph_object(std::move(graph)).release();
}

// The object of each node that has one.
std::map<std::pair<const Graph*, uint32_t>, PyObject*>& operations() {
  static auto& all = *new std::map<std::pair<const Graph*, uint32_t>, PyObject*>;
  return all;
}

struct PyOperation {
  PyObject_HEAD
  GraphPtr graph;
  NodeId node;
  ~PyOperation() { operations().erase({graph.get(), node.value}); }
};
PyTypeObject operation_type = {PyVarObject_HEAD_INIT(nullptr, 0)};
const Node& node_in(PyObject* o) {
  auto* op = reinterpret_cast<PyOperation*>(o);
  return op->graph->node(op->node);
}

Ref tensor_object(const GraphPtr& graph, Edge edge) { return checked(wrap(graph->tensor(edge))); }

// A function of footlight._formats, which loads protobuf when the first message is used.
Ref formats_function(const char* name) {
  const Ref formats = checked(PyImport_ImportModule("footlight._formats"));
  return checked(PyObject_GetAttrString(formats.get(), name));
}
// Lent for the time of a call.
Ref capsule_of(const GraphPtr& graph) {
  return checked(PyCapsule_New(const_cast<GraphPtr*>(&graph), "footlight.graph", nullptr));
}

PyObject* as_graph_def(PyObject* self, PyObject*, PyObject*) {
  const Ref function = formats_function("graph_def");
  const GraphPtr graph = trace::expanded(graph_in(self));
  return PyObject_CallOneArg(function.get(), capsule_of(graph).get());
}
// The library of a list of functions' graphs, and the name of each in it.
PyObject* function_library(PyObject*, PyObject* graphs) {
  const Ref function = formats_function("function_library");
  const Ref items = checked(PySequence_List(graphs));
  std::vector<GraphPtr> kept;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i)
    kept.push_back(trace::expanded(graph_in_object(PyList_GET_ITEM(items.get(), i), "function_library")));
  const Ref capsules = list_of(kept.size(), [&](size_t i) { return capsule_of(kept[i]); });
  return PyObject_CallOneArg(function.get(), capsules.get());
}
PyObject* get_operations(PyObject* self, PyObject*) {
  const GraphPtr& graph = graph_in(self);
  return list_of(graph->size(),
                 [&](size_t i) { return operation_object(graph, NodeId(static_cast<uint32_t>(i))); })
      .release();
}

NodeId find_node(const Graph& graph, std::string_view name) {
  for (uint32_t i = 0; i < graph.size(); ++i)
    if (graph.node(NodeId(i)).name == name) return NodeId(i);
  fail(ErrorKind::kKey, "the graph '", graph.name(), "' has no node named '", std::string(name), "'");
}

PyObject* get_operation_by_name(PyObject* self, PyObject* name) {
  return operation_object(graph_in(self), find_node(*graph_in(self), readable(name))).release();
}
PyObject* get_tensor_by_name(PyObject* self, PyObject* name) {
  const std::string whole = readable(name);
  const size_t colon = whole.rfind(':');
  const std::string number = colon == std::string::npos ? std::string() : whole.substr(colon + 1);
  if (number.empty() || number.size() > 6 || number.find_first_not_of("0123456789") != std::string::npos)
    fail(ErrorKind::kValue, "'", whole, "' is no name of a tensor, which has the form \"node:output\": \"", whole,
         ":0\" is the first output of a node '", whole, "'");
  const NodeId node = find_node(*graph_in(self), std::string_view(whole).substr(0, colon));
  const auto output = static_cast<uint32_t>(std::atoi(number.c_str()));
  const size_t count = graph_in(self)->node(node).dtypes.size();
  if (output >= count)
    fail(ErrorKind::kKey, "there is no tensor '", whole, "': the node has ", count,
         count == 1 ? " output" : " outputs");
  return tensor_object(graph_in(self), {node, output}).release();
}
PyObject* graph_inputs(PyObject* self, void*) {
  const GraphPtr& graph = graph_in(self);
  return list_of(graph->inputs.size(),
                 [&](size_t i) {
                   return tensor_object(graph, {graph->inputs[i], 0});
                 })
      .release();
}
PyObject* graph_outputs(PyObject* self, void*) {
  const GraphPtr& graph = graph_in(self);
  return list_of(graph->outputs.size(), [&](size_t i) { return tensor_object(graph, graph->outputs[i]); }).release();
}
PyObject* graph_controls(PyObject* self, void*) {
  const GraphPtr& graph = graph_in(self);
  return list_of(graph->control_outputs.size(),
                 [&](size_t i) { return operation_object(graph, graph->control_outputs[i]); })
      .release();
}
// A function's graph is called as the function: "f", where the function in a library is "__inference_f_12".
std::string name_of_graph(const Graph& graph) {
  constexpr std::string_view kPrefix = "__inference_";
  const std::string& name = graph.name();
  const size_t number = name.find_last_not_of("0123456789");
  if (!name.starts_with(kPrefix) || number == std::string::npos || name[number] != '_') return name;
  return name.substr(kPrefix.size(), number < kPrefix.size() ? std::string::npos : number - kPrefix.size());
}
PyObject* graph_name(PyObject* self, void*) { return text_object(name_of_graph(*graph_in(self))).release(); }
// The builder of the graph; null if it is finished, or another thread builds it.
const trace::GraphBuilder* builder_of(PyObject* self) {
  const trace::GraphBuilder* at = trace::GraphBuilder::innermost();
  while (at && at->graph() != graph_in(self)) at = at->outer();
  return at;
}
PyObject* graph_state(PyObject* self, void*) {
  auto* g = reinterpret_cast<PyGraph*>(self);
  if (!g->state) {
    g->state = checked(PyDict_New());
    // While it is built, the object that has the state stays the graph's object.
    static auto& kept = *new std::vector<std::pair<std::weak_ptr<const void>, Ref>>;
    std::erase_if(kept, [](const auto& one) { return one.first.expired(); });
    if (const trace::GraphBuilder* builder = builder_of(self)) kept.emplace_back(builder->life(), Ref::borrow(self));
  }
  return Py_NewRef(g->state.get());
}
PyObject* graph_outer(PyObject* self, void*) {
  const trace::GraphBuilder* builder = builder_of(self);
  if (!builder || !builder->outer() || !builder->graph()->is_function) Py_RETURN_NONE;  // not of a tf.Graph
  return graph_object(builder->outer()->graph()).release();
}
PyObject* graph_is_control_flow(PyObject* self, void*) {
  using Kind = trace::GraphBuilder::Kind;
  const trace::GraphBuilder* builder = builder_of(self);
  return PyBool_FromLong(builder && (builder->kind() == Kind::kBranch || builder->kind() == Kind::kCondition ||
                                     builder->kind() == Kind::kBody));
}
// What stands in the graph, while it is built, for a value from outside: the same for the same value. A name is taken
// the first time.
PyObject* graph_capture(PyObject* self, PyObject* arguments) {
  PyObject* value;
  const char* name = nullptr;
  if (!PyArg_ParseTuple(arguments, "O|z", &value, &name)) return nullptr;
  if (!is_tensor(value)) fail(ErrorKind::kType, "a tensor is wanted, not ", Py_TYPE(value)->tp_name);
  auto* builder = const_cast<trace::GraphBuilder*>(builder_of(self));
  if (!builder) fail(ErrorKind::kRuntime, "the graph '", name_of_graph(*graph_in(self)), "' is not being built");
  const Tensor& outside = tensor_of(value);
  if (!name || outside.graph() == builder->graph().get())
    return checked(wrap(builder->as_captured(outside))).release();
  return checked(wrap(builder->capture(outside, name, {}))).release();
}
// Lists what a graph in progress has captured so far, as pairs of the value outside and its stand-in.
PyObject* graph_captured(PyObject* self, PyObject*) {
  const trace::GraphBuilder* builder = builder_of(self);
  const GraphPtr& graph = graph_in(self);
  const size_t count = builder ? builder->captures().size() : 0;
  return list_of(count, [&](size_t i) {
           const Ref outside = checked(wrap(builder->captures()[i]));
           const Ref inside = tensor_object(graph, {graph->inputs[graph->inputs.size() - count + i], 0});
           return checked(PyTuple_Pack(2, outside.get(), inside.get()));
         }).release();
}
// _mark(groups, device, gradients, added): what nodes that are added from now on get; `added`, if not None, is called
// with each of them.
PyObject* graph_mark(PyObject* self, PyObject* arguments) {
  PyObject *groups, *device, *gradients, *added;
  if (!PyArg_ParseTuple(arguments, "O!UO!O", &PyList_Type, &groups, &device, &PyDict_Type, &gradients, &added))
    return nullptr;
  Graph::Marks marks;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(groups); ++i)
    marks.groups.push_back(readable(PyList_GET_ITEM(groups, i)));
  marks.device = readable(device);
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(gradients, &at, &key, &value);)
    marks.gradients[readable(key)] = readable(value);
  if (added != Py_None)
    marks.added = [added = Ref::borrow(added)](Graph& graph, NodeId id) {
      const Ref op = operation_object(graph.shared_from_this(), id);
      checked(PyObject_CallOneArg(added.get(), op.get()));
    };
  graph_in(self)->marks = std::move(marks);
  Py_RETURN_NONE;
}
PyObject* op_def_for_type(PyObject*, PyObject* type) {
  const Ref function = formats_function("op_def");
  return PyObject_CallOneArg(function.get(), type);
}
PyObject* graph_kind(PyObject* self, void*) { return PyBool_FromLong(graph_in(self)->is_function); }
PyObject* graph_unique_name(PyObject* self, PyObject* name) {
  return text_object(graph_in(self)->unique_name(readable(name))).release();
}
PyObject* graph_size(PyObject* self, PyObject*) { return PyLong_FromSize_t(graph_in(self)->size()); }
PyObject* graph_repr(PyObject* self) {
  if (!graph_in(self)->is_function) return PyUnicode_FromFormat("<footlight.Graph object at %p>", self);
  return PyUnicode_FromFormat("FuncGraph(name=%s, id=%zu)", name_of_graph(*graph_in(self)).c_str(),
                              reinterpret_cast<size_t>(graph_in(self).get()));
}
Py_hash_t graph_hash(PyObject* self) {
  return static_cast<Py_hash_t>(reinterpret_cast<uintptr_t>(graph_in(self).get()) >> 4);
}
PyObject* graph_compare(PyObject* a, PyObject* b, int op) {
  if (Py_TYPE(b) != &graph_type || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((graph_in(a) == graph_in(b)) == (op == Py_EQ));
}

PyObject* graph_finalize(PyObject* self, PyObject*) {
  reinterpret_cast<PyGraph*>(self)->graph->finalized = true;
  Py_RETURN_NONE;
}
PyObject* graph_finalized(PyObject* self, void*) {
  return PyBool_FromLong(reinterpret_cast<PyGraph*>(self)->graph->finalized);
}

PyMethodDef graph_methods[] = {
    {"as_graph_def", as_method(guard<as_graph_def>), METH_VARARGS | METH_KEYWORDS, "The graph as GraphDef."},
    {"_library", guard<function_library>, METH_O | METH_STATIC, "The library of functions, and their names in it."},
    {"get_operations", guard<get_operations>, METH_NOARGS, "All nodes, in the order in which they were made."},
    {"get_operation_by_name", guard<get_operation_by_name>, METH_O, nullptr},
    {"get_tensor_by_name", guard<get_tensor_by_name>, METH_O, nullptr},
    {"_unique_name", guard<graph_unique_name>, METH_O, "A name that is free, in the current scope; taken from now on."},
    {"_mark", guard<graph_mark>, METH_VARARGS, "What nodes that are added get: groups, a device, types of gradients."},
    {"_capture", guard<graph_capture>, METH_VARARGS, "What stands in a graph that is built for a tensor from outside."},
    {"_captured", guard<graph_captured>, METH_NOARGS,
     "What a graph that is built has captured: pairs, outside and inside."},
    {"op_def_for_type", guard<op_def_for_type>, METH_O, "The definition of a type of op as OpDef."},
    {"finalize", graph_finalize, METH_NOARGS, "Nothing can be added to the graph from now on."},
    {"num_operations", graph_size, METH_NOARGS, "The number of operations."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef graph_properties[] = {
    {"inputs", guard<graph_inputs>, nullptr, nullptr, nullptr},
    {"outputs", guard<graph_outputs>, nullptr, nullptr, nullptr},
    {"control_outputs", guard<graph_controls>, nullptr, nullptr, nullptr},
    {"name", guard<graph_name>, nullptr, nullptr, nullptr},
    {"building_function", graph_kind, nullptr, nullptr, nullptr},
    {"finalized", graph_finalized, nullptr, nullptr, nullptr},
    {"_state", guard<graph_state>, nullptr, nullptr, nullptr},
    {"outer_graph", guard<graph_outer>, nullptr, "The graph around one that is built.", nullptr},
    {"is_control_flow_graph", graph_is_control_flow, nullptr, "Whether it is being built for a branch or a loop.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyObject* operation_name(PyObject* self, void*) { return PyUnicode_FromString(node_in(self).name.c_str()); }
PyObject* operation_kind(PyObject* self, void*) { return PyUnicode_FromString(node_in(self).op->name); }
PyObject* operation_device(PyObject* self, void*) { return PyUnicode_FromString(node_in(self).device.text().c_str()); }
PyObject* operation_set_device(PyObject* self, PyObject* name) {
  const auto* operation = reinterpret_cast<PyOperation*>(self);
  operation->graph->node(operation->node).device = readable(name);
  Py_RETURN_NONE;
}
PyObject* operation_graph(PyObject* self, void*) {
  return graph_object(reinterpret_cast<PyOperation*>(self)->graph).release();
}
PyObject* operation_inputs(PyObject* self, void*) {
  const GraphPtr& graph = reinterpret_cast<PyOperation*>(self)->graph;
  const Node& node = node_in(self);
  return checked(PyList_AsTuple(list_of(node.inputs.size(),
                                        [&](size_t i) { return tensor_object(graph, node.inputs[i]); })
                                    .get()))
      .release();
}
PyObject* operation_outputs(PyObject* self, void*) {
  auto* op = reinterpret_cast<PyOperation*>(self);
  return list_of(node_in(self).dtypes.size(),
                 [&](size_t i) {
                   return tensor_object(op->graph, {op->node, static_cast<uint32_t>(i)});
                 })
      .release();
}
PyObject* operation_controls(PyObject* self, void*) {
  auto* op = reinterpret_cast<PyOperation*>(self);
  const Node& node = node_in(self);
  return list_of(node.control_inputs.size(),
                 [&](size_t i) { return operation_object(op->graph, node.control_inputs[i]); })
      .release();
}
PyObject* operation_def(PyObject* self, void*) {
  return guarded([&] {
    auto* op = reinterpret_cast<PyOperation*>(self);
    const Ref function = formats_function("node_def");
    return PyObject_CallFunction(function.get(), "OI", capsule_of(op->graph).get(), op->node.value);
  });
}
PyObject* operation_op_def(PyObject* self, void*) {
  return op_def_for_type(nullptr, checked(operation_kind(self, nullptr)).get());
}
PyObject* operation_place(PyObject* self, void*) {
  const SourcePlace place = place_of(node_in(self).source);
  if (place.file.empty()) Py_RETURN_NONE;
  return Py_BuildValue("(sis)", place.file.c_str(), place.line, place.function.c_str());
}
PyObject* operation_attr(PyObject* self, PyObject* name) {
  auto* op = reinterpret_cast<PyOperation*>(self);
  const Ref function = formats_function("node_attr");
  PyObject* value = PyObject_CallFunction(function.get(), "OIO", capsule_of(op->graph).get(), op->node.value, name);
  if (!value && cleared_if(PyExc_KeyError))
    return PyErr_Format(PyExc_ValueError, "operation '%s' has no attribute %R", node_in(self).name.c_str(), name);
  return value;
}
PyObject* operation_repr(PyObject* self) {
  return PyUnicode_FromFormat("<tf.Operation '%s' type=%s>", node_in(self).name.c_str(), node_in(self).op->name);
}
PyObject* operation_str(PyObject* self) {
  const Ref definition = Ref::steal(operation_def(self, nullptr));
  return definition ? PyObject_Str(definition.get()) : nullptr;
}
Py_hash_t operation_hash(PyObject* self) {
  auto* op = reinterpret_cast<PyOperation*>(self);
  return static_cast<Py_hash_t>((reinterpret_cast<uintptr_t>(op->graph.get()) >> 4) + op->node.value);
}
PyObject* operation_compare(PyObject* a, PyObject* b, int how) {
  if (Py_TYPE(b) != &operation_type || (how != Py_EQ && how != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  auto *x = reinterpret_cast<PyOperation*>(a), *y = reinterpret_cast<PyOperation*>(b);
  return PyBool_FromLong((x->graph == y->graph && x->node == y->node) == (how == Py_EQ));
}
PyObject* operation_set_type(PyObject* self, PyObject* type) {
  auto* op = reinterpret_cast<PyOperation*>(self);
  const Ref function = formats_function("set_full_type");
  return PyObject_CallFunction(function.get(), "OIO", capsule_of(op->graph).get(), op->node.value, type);
}
PyMethodDef operation_methods[] = {
    {"experimental_set_type", guard<operation_set_type>, METH_O,
     "Says of which full type (a FullTypeDef) the operation is, for GraphDef."},
    {"get_attr", guard<operation_attr>, METH_O, "The value of an attribute."},
    {"_set_device_from_string", guard<operation_set_device>, METH_O, "Where it is to run."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef operation_properties[] = {{"name", guard<operation_name>, nullptr, nullptr, nullptr},
                                      {"type", operation_kind, nullptr, nullptr, nullptr},
                                      {"device", guard<operation_device>, nullptr, nullptr, nullptr},
                                      {"graph", guard<operation_graph>, nullptr, nullptr, nullptr},
                                      {"inputs", guard<operation_inputs>, nullptr, nullptr, nullptr},
                                      {"outputs", guard<operation_outputs>, nullptr, nullptr, nullptr},
                                      {"control_inputs", guard<operation_controls>, nullptr, nullptr, nullptr},
                                      {"node_def", operation_def, nullptr, nullptr, nullptr},
                                      {"op_def", guard<operation_op_def>, nullptr, nullptr, nullptr},
                                      {"_place", guard<operation_place>, nullptr, nullptr, nullptr},
                                      {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

Ref graph_object(GraphPtr graph) {
  if (const auto known = objects().find(graph.get()); known != objects().end()) return Ref::borrow(known->second);
  Ref object = new_object<PyGraph>(graph_type, graph);
  objects().emplace(graph.get(), object.get());
  return object;
}

Ref operation_object(GraphPtr graph, NodeId node) {
  PyObject*& known = operations()[{graph.get(), node.value}];
  if (known) return Ref::borrow(known);
  Ref object = new_object<PyOperation>(operation_type, std::move(graph), node);
  known = object.get();
  return object;
}

bool is_operation(PyObject* o) { return Py_TYPE(o) == &operation_type; }
NodeId node_of(PyObject* operation) { return reinterpret_cast<PyOperation*>(operation)->node; }
const GraphPtr& graph_with(PyObject* operation) { return reinterpret_cast<PyOperation*>(operation)->graph; }
const GraphPtr& graph_in_object(PyObject* o, const char* what) {
  if (Py_TYPE(o) != &graph_type) fail(ErrorKind::kType, what, " takes a tf.Graph, not a ", Py_TYPE(o)->tp_name);
  return graph_in(o);
}
std::pair<GraphPtr, NodeId> node_in_object(PyObject* o, const char* what) {
  if (!is_operation(o)) fail(ErrorKind::kType, what, " takes a tf.Operation, not a ", Py_TYPE(o)->tp_name);
  return {reinterpret_cast<PyOperation*>(o)->graph, reinterpret_cast<PyOperation*>(o)->node};
}

size_t nodes_of_plain_graph() {
  const auto* builder = this_thread.builder ? trace::GraphBuilder::innermost() : nullptr;
  return builder && !builder->graph()->is_function ? builder->graph()->size() : 0;
}

Ref operation_since(size_t nodes) {
  const size_t now = nodes_of_plain_graph();
  if (now <= nodes) return Ref::borrow(Py_None);
  const GraphPtr& graph = trace::GraphBuilder::innermost()->graph();
  const NodeId last(static_cast<uint32_t>(now - 1));
  return graph->node(last).dtypes.empty() ? operation_object(graph, last) : Ref::borrow(Py_None);
}

Tensor after_operation(PyObject* operation, const std::function<Tensor()>& read) {
  trace::GraphBuilder* builder = trace::GraphBuilder::innermost();
  const auto [graph, node] = node_in_object(operation, "an operation to come after");
  if (!builder || builder->graph() != graph || builder->kind() != trace::GraphBuilder::Kind::kGraph) return read();
  const std::vector<NodeId> before = builder->control_scope;
  builder->control_scope.push_back(node);
  try {
    Tensor made = read();
    builder->control_scope = before;
    return made;
  } catch (...) {
    builder->control_scope = before;
    throw;
  }
}

bool is_graph_element(const Tensor& t) { return t.is_symbolic() && t.graph() && !t.graph()->is_function; }

void run_exit_callbacks(const GraphPtr& graph) {
  const auto found = objects().find(graph.get());
  if (found == objects().end()) return;
  const Ref object = Ref::borrow(found->second);
  const Ref& state = reinterpret_cast<PyGraph*>(object.get())->state;
  PyObject* const left = state ? find_item(state.get(), "exit_callbacks") : nullptr;
  if (!left) return;
  const Ref all = checked(PySequence_Tuple(left));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(all.get()); ++i)
    static_cast<void>(checked(PyObject_CallNoArgs(PyTuple_GET_ITEM(all.get(), i))));
}

Ref operation_of(const Tensor& symbolic) {
  return operation_object(symbolic.graph()->shared_from_this(), symbolic.node());
}
Ref graph_of(const Tensor& symbolic) { return graph_object(symbolic.graph()->shared_from_this()); }

void init_graph_objects() {
  define_type<PyGraph>(graph_type, "footlight.Graph",
                       {.construct = guard<graph_new>,
                        .repr = guard<graph_repr>,
                        .hash = graph_hash,
                        .compare = graph_compare,
                        .properties = graph_properties,
                        .methods = graph_methods});
  define_type<PyOperation>(operation_type, "footlight.Operation",
                           {.flags = Py_TPFLAGS_DISALLOW_INSTANTIATION,
                            .repr = guard<operation_repr>,
                            .str = operation_str,
                            .hash = operation_hash,
                            .compare = operation_compare,
                            .properties = operation_properties,
                            .methods = operation_methods});
  publish("Graph", reinterpret_cast<PyObject*>(&graph_type));
  publish("Operation", reinterpret_cast<PyObject*>(&operation_type));
}

}  // namespace footlight::python
