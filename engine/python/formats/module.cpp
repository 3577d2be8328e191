// The extension module footlight._formats: messages, and graphs as GraphDef. Imported when the first message is used.
#include "engine/formats/attributes.h"
#include "engine/formats/bundle.h"
#include "engine/formats/event_file.h"
#include "engine/formats/graph_def.h"
#include "engine/formats/import_graph.h"
#include "engine/formats/read.h"
#include "engine/python/formats/message_object.h"
#include "engine/python/interpreter/exceptions.h"
#include "engine/python/interpreter/formats_api.h"
#include "engine/python/interpreter/lists.h"
#include "engine/python/interpreter/text.h"

#include <new>

namespace footlight::python {

// This module has its own: the engine's has more classes, and is in another library.
void set_python_error() {
  try {
    throw;
  } catch (const PythonErrorSet&) {
  } catch (const Error& e) {
    PyObject* type = e.kind() == ErrorKind::kType        ? PyExc_TypeError
                     : e.kind() == ErrorKind::kAttribute ? PyExc_AttributeError
                     : e.kind() == ErrorKind::kIndex     ? PyExc_IndexError
                                                         : PyExc_ValueError;
    PyErr_SetString(type, e.message().c_str());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
}

namespace {

// A graph is passed as a capsule of a `GraphPtr`.
Graph& graph_of_capsule(PyObject* capsule) {
  auto* graph = static_cast<GraphPtr*>(PyCapsule_GetPointer(capsule, "footlight.graph"));
  if (!graph) throw PythonErrorSet();
  return **graph;
}

PyObject* graph_def(PyObject*, PyObject* graph) {
  auto message = std::make_shared<formats::GraphDef>(formats::to_graph_def(graph_of_capsule(graph)));
  return message_object(std::move(message)).release();
}

// A list of graphs -> (FunctionDefLibrary, the name of each).
PyObject* function_library(PyObject*, PyObject* graphs) {
  std::vector<GraphPtr> functions;
  for (Py_ssize_t i = 0; i < PyList_Size(graphs); ++i) {
    auto* graph = static_cast<GraphPtr*>(PyCapsule_GetPointer(PyList_GET_ITEM(graphs, i), "footlight.graph"));
    if (!graph) throw PythonErrorSet();
    functions.push_back(*graph);
  }
  if (PyErr_Occurred()) throw PythonErrorSet();
  std::vector<std::string> names;
  const Ref library =
      message_object(std::make_shared<formats::FunctionDefLibrary>(formats::to_library(functions, names)));
  const Ref list = list_of(names, [](const std::string& name) {
    return checked(PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size())));
  });
  return PyTuple_Pack(2, library.get(), list.get());
}

PyObject* node_def(PyObject*, PyObject* arguments) {
  PyObject* graph;
  unsigned int node;
  if (!PyArg_ParseTuple(arguments, "OI", &graph, &node)) return nullptr;
  auto message = std::make_shared<formats::NodeDef>(formats::to_node_def(graph_of_capsule(graph), NodeId(node)));
  return message_object(std::move(message)).release();
}

PyObject* op_def(PyObject*, PyObject* type) {
  const OpRow* row = PyUnicode_Check(type) ? find_row(readable(type)) : nullptr;
  if (!row) return PyErr_Format(PyExc_RuntimeError, "Op type not registered '%S': Footlight has no such op", type);
  return message_object(std::make_shared<formats::OpDef>(formats::to_op_def(*row))).release();
}

// The value of a node's attribute; KeyError if it has none of that name.
PyObject* node_attr(PyObject*, PyObject* arguments) {
  PyObject* graph;
  unsigned int node;
  const char* name;
  if (!PyArg_ParseTuple(arguments, "OIs", &graph, &node, &name)) return nullptr;
  const formats::NodeDef definition = formats::to_node_def(graph_of_capsule(graph), NodeId(node));
  const auto found = definition.attr().find(name);
  if (found == definition.attr().end()) return PyErr_Format(PyExc_KeyError, "%s", name);
  return value_set(found->second).release();
}

// A message object as `Message`, or one that is read from bytes.
template <class Message>
const Message& message_of(PyObject* object, Message& read, const char* what) {
  if (PyBytes_Check(object)) {
    formats::read_bytes(read, {PyBytes_AS_STRING(object), static_cast<size_t>(PyBytes_GET_SIZE(object))});
    return read;
  }
  const google::protobuf::Message* message = message_in(object);
  if (!message || message->GetDescriptor() != Message::descriptor())
    throw Error(ErrorKind::kType, std::string("argument `") + what + "` must be a " + Message::descriptor()->name() +
                                      " message, got " + Py_TYPE(object)->tp_name);
  return static_cast<const Message&>(*message);
}

// set_full_type(graph, node, type): the full type that the node has in a GraphDef.
PyObject* set_full_type(PyObject*, PyObject* arguments) {
  PyObject *graph, *type;
  unsigned int id;
  if (!PyArg_ParseTuple(arguments, "OIO", &graph, &id, &type)) return nullptr;
  Node& node = graph_of_capsule(graph).node(NodeId(id));
  formats::FullTypeDef read;
  const formats::FullTypeDef& given = message_of(type, read, "type_proto");
  if (given.type_id() != formats::TFT_UNSET && given.type_id() != formats::TFT_PRODUCT)
    return PyErr_Format(PyExc_ValueError, "error setting the type of %s: expected TFT_UNSET or TFT_PRODUCT, got %d",
                        node.name.c_str(), static_cast<int>(given.type_id()));
  formats::NodeDef extras;
  if (const AttrValue* before = node.attrs.find(formats::kExtras))
    formats::read_bytes(extras, std::get<std::string>(*before));
  *extras.mutable_experimental_type() = given;
  node.attrs.set(formats::kExtras, formats::bytes_of(extras));
  Py_RETURN_NONE;
}

void import_graph_def(PyObject* graph_def, PyObject* producer_ops, GraphImport& into) {
  formats::GraphDef def;
  formats::OpList ops;
  const formats::OpList* known = producer_ops == Py_None ? nullptr : &message_of(producer_ops, ops, "producer_op_list");
  formats::import_graph_def(message_of(graph_def, def, "graph_def"), into, known);
}
std::unique_ptr<TensorFile> open_bundle(const std::string& prefix) { return formats::open_bundle(prefix); }
Tensor create_event_file(const std::string& folder, long long max_queue, long long flush_millis,
                         const std::string& suffix) {
  return formats::create_event_file(folder, {max_queue, flush_millis, suffix});
}
const FormatsApi api{import_graph_def, open_bundle, formats::write_bundle, create_event_file,
                     formats::flush_event_files};

PyMethodDef functions[] = {{"graph_def", guard<graph_def>, METH_O, "A graph as GraphDef."},
                           {"function_library", guard<function_library>, METH_O, "Functions' graphs as a library."},
                           {"node_def", guard<node_def>, METH_VARARGS, "A node of a graph as NodeDef."},
                           {"set_full_type", guard<set_full_type>, METH_VARARGS, "Says of which full type a node is."},
                           {"op_def", guard<op_def>, METH_O, "The definition of a type of op as OpDef."},
                           {"node_attr", guard<node_attr>, METH_VARARGS, "The value of a node's attribute."},
                           {nullptr, nullptr, 0, nullptr}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT, "footlight._formats", "Messages that TensorFlow reads and writes.",
                          -1,                    functions,            nullptr,
                          nullptr,               nullptr,              nullptr};

}  // namespace
}  // namespace footlight::python

PyMODINIT_FUNC PyInit__formats() {
  using namespace footlight::python;
  return guarded([]() -> PyObject* {
    Ref module = checked(PyModule_Create(&definition));
    init_messages(module.get());
    Ref capsule = checked(PyCapsule_New(const_cast<FormatsApi*>(&api), kFormatsApi, nullptr));
    if (PyModule_AddObjectRef(module.get(), "api", capsule.get()) < 0) throw footlight::PythonErrorSet();
    return module.release();
  });
}
