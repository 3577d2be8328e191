// ConcreteFunction: one trace as an object that can be called, printed and inspected.
#include "engine/python/function/function_object.h"
#include "engine/python/function/state_watch.h"

#include "engine/base/clock.h"
#include "engine/base/recording.h"
#include "engine/base/text.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/types/convert.h"
#include "engine/python/types/dtype_object.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/types/graph_object.h"
#include "engine/python/types/shape_object.h"
#include "engine/python/types/spec_object.h"
#include "engine/python/types/trackable_object.h"
#include "engine/python/types/variable_object.h"
#include "engine/python/interpreter/weak.h"
#include "engine/trace/freeze.h"

#include <algorithm>
#include <cstddef>
#include <new>

namespace footlight::python {
namespace {

struct PyConcrete {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  std::shared_ptr<TraceEntry> entry;
  PyObject* function;  // keeps the definition's names and signature
  PyObject* weakrefs;
};
PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};

TraceEntry& entry_of(PyObject* o) { return *reinterpret_cast<PyConcrete*>(o)->entry; }
FunctionCore& core_in(PyObject* o) { return core_of(reinterpret_cast<PyConcrete*>(o)->function); }
const Graph& graph_in(PyObject* o) { return *entry_of(o).concrete->graph(); }

void destroy(PyObject* o) {
  auto* c = reinterpret_cast<PyConcrete*>(o);
  PyObject_GC_UnTrack(o);
  if (c->weakrefs) PyObject_ClearWeakRefs(o);
  Py_CLEAR(c->function);
  c->entry.~shared_ptr();
  PyObject_GC_Del(o);
}
int traverse(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(reinterpret_cast<PyConcrete*>(o)->function);
  return 0;
}

Ref text(const std::string& s) {
  return checked(PyUnicode_FromStringAndSize(s.data(), static_cast<Py_ssize_t>(s.size())));
}

// The tensor for input `index`, checked against its placeholder. `converts`: a value of Python's becomes one too.
Tensor checked_input(PyObject* self, size_t index, PyObject* value, const std::string& parameter,
                     bool converts = true) {
  const Graph& graph = graph_in(self);
  const Node& placeholder = graph.node(graph.inputs[index]);
  const std::string name = core_in(self).name;
  if (placeholder.dtypes[0] == DType::kResource) {
    if (is_tensor(value) && tensor_of(value).dtype() == DType::kResource) return tensor_of(value);
    if (!is_variable(value))
      fail(ErrorKind::kType, "concrete function '", name, "' expects a variable for '", parameter, "', got ",
           repr_of(value));
    return variable_handle(value);
  }
  Tensor tensor;
  if (is_tensor(value)) tensor = tensor_of(value);
  else if (is_variable(value)) tensor = variable_value(value);
  else if (converts || is_array(value)) tensor = to_tensor(value, placeholder.dtypes[0], parameter.c_str());
  else
    fail(ErrorKind::kType, "concrete function '", name, "' expects a tensor for '", parameter, "' (",
         spec_text({placeholder.dtypes[0], placeholder.shapes[0], {}}),
         ") where parameters that are part of it are left out, got ", repr_of(value),
         "; give all of its parameters, or wrap it in tf.constant");
  if (tensor.dtype() != placeholder.dtypes[0])
    fail(ErrorKind::kInvalidArgument, "cannot compute ", graph.name(), " as input #", index,
         "(zero-based) was expected to be a ", name_of(placeholder.dtypes[0]), " tensor but is a ",
         name_of(tensor.dtype()), " tensor (concrete function '", name, "')");
  if (!is_subshape(tensor.shape(), placeholder.shapes[0]))
    fail(ErrorKind::kType, "concrete function '", name, "' expects shape ", placeholder.shapes[0].to_string(),
         " for '", parameter, "', got ", tensor.shape().to_string());
  return tensor;
}

// The value of a parameter in the trace, from structured_input_signature.
Ref declared(const TraceEntry& entry, size_t parameter, size_t& positional) {
  if (entry.input_kinds[parameter] == FunctionParameter::kKeywordOnly) {
    const std::string& name = entry.input_names[parameter];
    if (PyObject* value = find_item(entry.structured_kwargs.get(), name.c_str())) return Ref::borrow(value);
    PyObject *key, *value;  // a key of **kwargs that is not valid UTF-8
    for (Py_ssize_t at = 0; PyDict_Next(entry.structured_kwargs.get(), &at, &key, &value);)
      if (readable(key) == name) return Ref::borrow(value);
    return {};
  }
  return Ref::borrow(PyTuple_GET_ITEM(entry.structured_args.get(), static_cast<Py_ssize_t>(positional++)));
}

bool is_literal(PyObject* o) {
  return o == Py_None || PyBool_Check(o) || PyLong_CheckExact(o) || PyFloat_CheckExact(o) ||
         PyUnicode_CheckExact(o) || PyBytes_CheckExact(o);
}

void check_bound(PyObject* self, const std::string& parameter, const std::string& type, PyObject* given,
                 PyObject* value) {
  // A trace does not keep objects, so there is nothing to compare with; literals are compared by type
  // and value.
  if (type.starts_with("Literal[") && is_literal(value) &&
      (Py_TYPE(given) != Py_TYPE(value) || PyObject_RichCompareBool(given, value, Py_EQ) != 1) &&
      type == type_text(value))
    fail(ErrorKind::kType, "concrete function '", core_in(self).name, "' was traced with ", parameter, "=",
         repr_of(value), ", which is a part of it; it got ", repr_of(given),
         ". Ask the function for another concrete function, or call it");
}

void take_parameter(PyObject* self, size_t i, PyObject* given, PyObject* want, bool converts,
                    std::vector<Tensor>& inputs) {
  TraceEntry& entry = entry_of(self);
  const std::vector<size_t>& leaves = entry.leaves_of[i];
  if (leaves.empty()) {
    if (given && want) check_bound(self, entry.input_names[i], entry.input_types[i], given, want);
    return;
  }
  if (!given)
    fail(ErrorKind::kType, "concrete function '", core_in(self).name, function_type_text(entry),
         "' is missing argument '", entry.input_names[i], "'");
  if (leaves.size() == 1 && is_spec(want)) {
    inputs[leaves[0]] = checked_input(self, leaves[0], given, entry.input_names[i], converts);
    return;
  }
  size_t next = 0;
  Rebuilder([&](PyObject* leaf) {
    if (next < leaves.size())
      inputs[leaves[next]] = checked_input(self, leaves[next], leaf, entry.input_names[i], converts);
    ++next;
    return Ref::borrow(leaf);
  }).rebuild(given);
  if (next != leaves.size())
    fail(ErrorKind::kType, "concrete function '", core_in(self).name, "' expects ", entry.input_types[i],
         " for '", entry.input_names[i], "', got ", repr_of(given));
}

std::vector<Tensor> arguments(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  TraceEntry& entry = entry_of(self);
  const size_t count = entry.input_names.size();
  std::vector<Tensor> inputs(entry.concrete->parameters());
  std::vector<PyObject*> given(count, nullptr);
  size_t positional = 0, needed = 0;
  for (size_t i = 0; i < count; ++i) {
    positional += entry.input_kinds[i] != FunctionParameter::kKeywordOnly;
    needed += !entry.leaves_of[i].empty();
  }
  if (static_cast<size_t>(nargs) > positional)
    fail(ErrorKind::kType, "concrete function '", core_in(self).name, function_type_text(entry), "' takes ", positional,
         " positional arguments, ", nargs, " were given");
  // Parameters that are part of the trace may be left out, so arguments may stand for the others alone.
  const bool skip = !kwnames && static_cast<size_t>(nargs) == needed && static_cast<size_t>(nargs) < positional;
  size_t at = 0;
  for (Py_ssize_t i = 0; i < nargs; ++i) {
    while (skip && at < count && entry.leaves_of[at].empty()) ++at;
    if (at < count) given[at++] = args[i];
  }
  for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); ++k) {
    const std::string name = readable(PyTuple_GET_ITEM(kwnames, k));
    const auto found = std::ranges::find(entry.input_names, name);
    if (found == entry.input_names.end())
      fail(ErrorKind::kType, "concrete function '", core_in(self).name, function_type_text(entry),
           "' has no argument '", name, "'");
    PyObject*& slot = given[static_cast<size_t>(found - entry.input_names.begin())];
    if (slot) fail(ErrorKind::kType, "concrete function '", core_in(self).name, "' got two values for '", name, "'");
    slot = args[nargs + k];
  }
  const bool whole = std::ranges::find(given, nullptr) == given.end();
  size_t next = 0;
  for (size_t i = 0; i < count; ++i) take_parameter(self, i, given[i], declared(entry, i, next).get(), whole, inputs);
  return inputs;
}

PyObject* call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  return guarded([&] {
    const std::vector<Tensor> inputs = arguments(self, args, PyVectorcall_NARGS(nargsf), kwnames);
    TraceEntry& entry = entry_of(self);
    return core_in(self)
        .function.call_trace(entry, recording_structure() ? now_ns() : 0,
                             [&](CallId call) {
                               if (call.valid() && entry.state) entry.state->note_call(now_ns());
                               return run_entry(entry, inputs, call);
                             })
        .release();
  });
}

// call_with_captures(args, kwargs, captures): with other values in place of those that were captured.
PyObject* call_with_captures(PyObject* self, PyObject* const* given, Py_ssize_t count) {
  return guarded([&]() -> PyObject* {
    if (count != 3) fail(ErrorKind::kType, "call_with_captures takes arguments, named arguments and captures");
    TraceEntry& entry = entry_of(self);
    const std::vector<Tensor>& captured = entry.concrete->captures();
    std::vector<PyObject*> values;
    const Items positional(given[0], "the arguments must be a tuple");
    for (PyObject* one : positional) values.push_back(one);
    if (!PyDict_Check(given[1])) fail(ErrorKind::kType, "the named arguments must be a dict");
    const Ref named = checked(PyDict_Items(given[1]));
    std::vector<Ref> names;
    for (PyObject* pair : Items::stored(named.get())) {
      if (!PyUnicode_Check(PyTuple_GET_ITEM(pair, 0))) fail(ErrorKind::kType, "keywords must be strings");
      names.push_back(Ref::borrow(PyTuple_GET_ITEM(pair, 0)));
      values.push_back(PyTuple_GET_ITEM(pair, 1));
    }
    Ref keywords = checked(PyTuple_New(static_cast<Py_ssize_t>(names.size())));
    for (size_t i = 0; i < names.size(); ++i)
      PyTuple_SET_ITEM(keywords.get(), static_cast<Py_ssize_t>(i), Py_NewRef(names[i].get()));
    std::vector<Tensor> inputs =
        arguments(self, values.data(), positional.size(), names.empty() ? nullptr : keywords.get());
    const Items captures(given[2], "the captures must be a list");
    if (static_cast<size_t>(captures.size()) != captured.size())
      fail(ErrorKind::kValue, "concrete function '", core_in(self).name, "' has ", captured.size(), " captures, ",
           captures.size(), " were given");
    for (PyObject* one : captures)
      inputs.push_back(checked_input(self, inputs.size(), one, str("capture ", inputs.size())));
    if (!entry.open) {
      const GraphPtr graph = clone(*entry.concrete->graph());
      graph->parameters = graph->inputs.size();
      entry.open = std::make_shared<trace::Concrete>(graph, std::vector<Tensor>());
    }
    std::vector<Tensor> outputs = entry.open->call(inputs);
    return result_of(entry, outputs).release();
  });
}

// Of each parameter: its name, the number of its kind among Python's, and its type in words.
PyObject* get_parameters(PyObject* self, void*) {
  return guarded([&] {
    TraceEntry& entry = entry_of(self);
    Ref list = checked(PyList_New(0));
    size_t next = 0;
    for (size_t i = 0; i < entry.input_names.size(); ++i) {
      const Ref value = declared(entry, i, next);
      const Ref item = checked(Py_BuildValue("(siOs)", entry.input_names[i].c_str(),
                                             static_cast<int>(entry.input_kinds[i]), value ? value.get() : Py_None,
                                             entry.input_types[i].c_str()));
      if (PyList_Append(list.get(), item.get()) < 0) throw PythonErrorSet();
    }
    return list.release();
  });
}

PyObject* to_str(PyObject* self) {
  return guarded([&] { return text("ConcreteFunction " + signature_block(entry_of(self))).release(); });
}
PyObject* repr(PyObject* self) {
  return guarded([&] {
    return checked(PyUnicode_FromFormat("<ConcreteFunction %s at %p>",
                                        function_type_text(entry_of(self)).c_str(), self))
        .release();
  });
}

PyObject* pretty(PyObject* self, PyObject*, PyObject*) {
  return guarded([&] { return text(signature_block(entry_of(self))).release(); });
}

template <class Item>
Ref list_of(size_t count, Item&& item) {
  Ref list = checked(PyList_New(0));
  for (size_t i = 0; i < count; ++i) {
    Ref one = item(i);
    if (one && PyList_Append(list.get(), one.get()) < 0) throw PythonErrorSet();
  }
  return list;
}

PyObject* get_graph(PyObject* self, void*) {
  return guarded([&] { return graph_object(entry_of(self).concrete->graph()).release(); });
}
PyObject* get_inputs(PyObject* self, void*) {
  return guarded([&] {
    const GraphPtr graph = entry_of(self).concrete->graph();
    return list_of(graph->inputs.size(),
                   [&](size_t i) {
                     return checked(wrap(graph->tensor({graph->inputs[i], 0})));
                   })
        .release();
  });
}
PyObject* get_outputs(PyObject* self, void*) {
  return guarded([&] {
    const GraphPtr graph = entry_of(self).concrete->graph();
    return list_of(graph->outputs.size(),
                   [&](size_t i) { return checked(wrap(graph->tensor(graph->outputs[i]))); })
        .release();
  });
}
PyObject* get_captured(PyObject* self, void*) {
  return guarded([&] {
    const auto& captures = entry_of(self).concrete->captures();
    return list_of(captures.size(), [&](size_t i) { return checked(wrap(captures[i])); }).release();
  });
}
PyObject* get_variables(PyObject* self, void* trainable_only) {
  return guarded([&] {
    const auto& variables = entry_of(self).captured_variables;
    Ref list = list_of(variables.size(), [&](size_t i) {
      const bool wanted = variables[i] && (!trainable_only || variable_trainable(variables[i].get()));
      return wanted ? variables[i] : Ref();
    });
    return checked(PyList_AsTuple(list.get())).release();
  });
}
// For each capture its variable, or None.
PyObject* get_captured_variables(PyObject* self, void*) {
  return guarded([&] {
    const auto& variables = entry_of(self).captured_variables;
    return list_of(variables.size(), [&](size_t i) { return variables[i] ? variables[i] : Ref::borrow(Py_None); })
        .release();
  });
}
PyObject* get_structured_inputs(PyObject* self, void*) {
  TraceEntry& entry = entry_of(self);
  return PyTuple_Pack(2, entry.structured_args.get(), entry.structured_kwargs.get());
}

template <class Leaf>
Ref structured(PyObject* self, Leaf&& leaf) {
  const Graph& graph = graph_in(self);
  std::vector<Ref> leaves;
  for (Edge edge : graph.outputs)
    leaves.push_back(
        leaf(graph.node(edge.node).dtypes[edge.output], graph.node(edge.node).shapes[edge.output], edge));
  return put_together(entry_of(self).outputs, leaves);
}
PyObject* get_structured_outputs(PyObject* self, void*) {
  return guarded([&] {
    const GraphPtr graph = entry_of(self).concrete->graph();
    return structured(self,
                      [&](DType, const Shape&, Edge edge) { return checked(wrap(graph->tensor(edge))); })
        .release();
  });
}
PyObject* get_output_shapes(PyObject* self, void*) {
  return guarded([&] {
    return structured(self, [](DType, const Shape& shape, Edge) { return checked(shape_object(shape)); })
        .release();
  });
}
PyObject* get_output_dtypes(PyObject* self, void*) {
  return guarded([&] {
    return structured(self, [](DType dtype, const Shape&, Edge) { return Ref::borrow(dtype_object(dtype)); })
        .release();
  });
}
// The graph with the values of its captures as constants.
PyObject* frozen_graph(PyObject* self, PyObject*) {
  return guarded([&] {
    return graph_object(trace::freeze(graph_in(self), entry_of(self).concrete->captures())).release();
  });
}
PyObject* get_name(PyObject* self, void*) {
  return guarded([&] { return PyBytes_FromString(graph_in(self).name().c_str()); });
}
PyObject* get_function_type(PyObject* self, void*);

PyObject* same(PyObject* self, PyObject*) { return Py_NewRef(self); }  // a trace does not change

PyMethodDef methods[] = {
    {"__copy__", same, METH_NOARGS, nullptr},
    {"__deepcopy__", same, METH_O, nullptr},
    {"pretty_printed_signature", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(pretty)),
     METH_VARARGS | METH_KEYWORDS, "Parameters, result and captures as text."},
    {"_call_with_captures", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(call_with_captures)),
     METH_FASTCALL, "The trace with other values in place of those that were captured."},
    {"_frozen_graph", frozen_graph, METH_NOARGS, "The graph with the values of its captures as constants."},
    {nullptr, nullptr, 0, nullptr}};
int trainable_ones;
PyGetSetDef properties[] = {
    {"graph", get_graph, nullptr, "what was traced", nullptr},
    {"inputs", get_inputs, nullptr, nullptr, nullptr},
    {"outputs", get_outputs, nullptr, nullptr, nullptr},
    {"captured_inputs", get_captured, nullptr, nullptr, nullptr},
    {"_captured_variables", get_captured_variables, nullptr, nullptr, nullptr},
    {"variables", get_variables, nullptr, nullptr, nullptr},
    {"trainable_variables", get_variables, nullptr, nullptr, &trainable_ones},
    {"structured_input_signature", get_structured_inputs, nullptr, nullptr, nullptr},
    {"structured_outputs", get_structured_outputs, nullptr, nullptr, nullptr},
    {"output_shapes", get_output_shapes, nullptr, nullptr, nullptr},
    {"output_dtypes", get_output_dtypes, nullptr, nullptr, nullptr},
    {"function_type", get_function_type, nullptr, nullptr, nullptr},
    {"name", get_name, nullptr, nullptr, nullptr},
    {"_parameters", get_parameters, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

// --- function_type: prints as the signature ---
struct PyFunctionTypeText {
  PyObject_HEAD
  Ref text;
};
PyTypeObject function_type_type = {PyVarObject_HEAD_INIT(nullptr, 0)};
PyObject* function_type_str(PyObject* o) { return Py_NewRef(reinterpret_cast<PyFunctionTypeText*>(o)->text.get()); }
void function_type_destroy(PyObject* o) {
  reinterpret_cast<PyFunctionTypeText*>(o)->text.~Ref();
  PyObject_Free(o);
}
PyObject* function_type_compare(PyObject* a, PyObject* b, int op) {
  if (Py_TYPE(b) != &function_type_type) Py_RETURN_NOTIMPLEMENTED;
  return PyObject_RichCompare(reinterpret_cast<PyFunctionTypeText*>(a)->text.get(),
                              reinterpret_cast<PyFunctionTypeText*>(b)->text.get(), op);
}
PyObject* get_function_type(PyObject* self, void*) {
  return guarded([&] {
    Ref words = text(function_type_text(entry_of(self)));
    auto* o = PyObject_New(PyFunctionTypeText, &function_type_type);
    if (!o) throw PythonErrorSet();
    new (&o->text) Ref(std::move(words));
    return reinterpret_cast<PyObject*>(o);
  });
}

}  // namespace

Ref concrete_object(PyObject* function, const std::shared_ptr<TraceEntry>& entry) {
  if (entry->object) {
    if (Ref known = weak_target(entry->object.get())) return known;
  }
  auto* c = PyObject_GC_New(PyConcrete, &type);
  if (!c) throw PythonErrorSet();
  c->vectorcall = call;
  new (&c->entry) std::shared_ptr<TraceEntry>(entry);
  c->function = Py_NewRef(function);
  c->weakrefs = nullptr;
  Ref object = Ref::steal(reinterpret_cast<PyObject*>(c));
  PyObject_GC_Track(object.get());
  entry->object = checked(PyWeakref_NewRef(object.get(), nullptr));
  return object;
}

std::shared_ptr<TraceEntry> concrete_entry(PyObject* o) {
  if (Py_TYPE(o) != &type) fail(ErrorKind::kType, "expected a ConcreteFunction, got ", repr_of(o));
  return reinterpret_cast<PyConcrete*>(o)->entry;
}

FunctionId concrete_function(PyObject* o) { return core_in(o).function.id(); }

void init_concrete(PyObject*) {
  type.tp_name = "footlight.ConcreteFunction";
  type.tp_base = trackable_type;
  type.tp_basicsize = sizeof(PyConcrete);
  type.tp_vectorcall_offset = offsetof(PyConcrete, vectorcall);
  type.tp_weaklistoffset = offsetof(PyConcrete, weakrefs);
  type.tp_call = PyVectorcall_Call;
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC |
                  Py_TPFLAGS_DISALLOW_INSTANTIATION;
  type.tp_doc = "One trace of a function.";
  type.tp_dealloc = destroy;
  type.tp_traverse = traverse;
  type.tp_str = to_str;
  type.tp_repr = repr;
  type.tp_methods = methods;
  type.tp_getset = properties;
  function_type_type.tp_name = "footlight.FunctionType";
  function_type_type.tp_basicsize = sizeof(PyFunctionTypeText);
  function_type_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  function_type_type.tp_dealloc = function_type_destroy;
  function_type_type.tp_str = function_type_str;
  function_type_type.tp_repr = function_type_str;
  function_type_type.tp_richcompare = function_type_compare;
  if (PyType_Ready(&type) < 0 || PyType_Ready(&function_type_type) < 0) throw PythonErrorSet();
  publish("types.experimental.ConcreteFunction", reinterpret_cast<PyObject*>(&type));
}

}  // namespace footlight::python
