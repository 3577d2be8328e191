// ConcreteFunction: one trace as an object that can be called, printed and inspected.
#include "engine/python/function/call/concrete.h"

#include "engine/base/clock.h"
#include "engine/base/recording.h"
#include "engine/base/text.h"
#include "engine/python/function/call/call.h"
#include "engine/python/function/call/captures.h"
#include "engine/python/function/call/concrete_arguments.h"
#include "engine/python/function/call/output.h"
#include "engine/python/function/function_object.h"
#include "engine/python/function/observed/state_watch.h"
#include "engine/python/function/tracing/trace_entry.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/lists.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/text.h"
#include "engine/python/interpreter/types.h"
#include "engine/python/interpreter/walk.h"
#include "engine/python/interpreter/weak.h"
#include "engine/python/types/convert.h"
#include "engine/python/types/dtype_object.h"
#include "engine/python/types/graph_object.h"
#include "engine/python/types/shape_object.h"
#include "engine/python/types/spec_object.h"
#include "engine/python/types/trackable_object.h"
#include "engine/python/types/variable_object.h"
#include "engine/trace/freeze.h"

#include <cstddef>

namespace footlight::python {
namespace {

struct PyConcrete {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  std::shared_ptr<TraceEntry> entry;
  Ref function;  // keeps the definition's names and signature
  PyObject* weakrefs;
};
PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};

TraceEntry& entry_of(PyObject* o) { return *reinterpret_cast<PyConcrete*>(o)->entry; }
FunctionCore& core_in(PyObject* o) { return core_of(reinterpret_cast<PyConcrete*>(o)->function.get()); }
const Graph& graph_in(PyObject* o) { return *entry_of(o).concrete->graph(); }
ConcreteCall called(PyObject* o) { return {core_in(o), entry_of(o)}; }

Ref text(const std::string& s) {
  return checked(PyUnicode_FromStringAndSize(s.data(), static_cast<Py_ssize_t>(s.size())));
}

PyObject* run(PyObject* self, const std::vector<Tensor>& inputs) {
  TraceEntry& entry = entry_of(self);
  return core_in(self)
      .function
      .call_trace(entry, recording_structure() ? now_ns() : 0,
                  [&](CallId call) {
                    if (call.valid() && entry.state) entry.state->note_call(now_ns());
                    return run_entry(entry, inputs, call);
                  })
      .release();
}

// Runs a copy of the trace's graph without shapes, on tensors of other shapes than it was traced for. Null if no such
// copy is possible.
PyObject* run_for_other_shapes(PyObject* self, const std::vector<Tensor>& inputs) {
  const Ref module = checked(PyImport_ImportModule("footlight._graphs.any_shapes"));
  const Ref tensors = list_of(inputs.size(), [&](size_t i) { return checked(wrap(inputs[i])); });
  const Ref results = checked(PyObject_CallMethod(module.get(), "run", "OO", self, tensors.get()));
  if (results.get() == Py_None) return nullptr;
  std::vector<Tensor> outputs;
  for (PyObject* one : Items(results.get())) outputs.push_back(tensor_of(one));
  return result_of(entry_of(self), outputs).release();
}

PyObject* call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  return guarded([&] {
    const Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    bool other_shapes = false;
    const std::vector<Tensor> inputs = concrete_arguments(called(self), args, nargs, kwnames, &other_shapes);
    if (!other_shapes) return run(self, inputs);
    if (PyObject* const result = run_for_other_shapes(self, inputs)) return result;
    return run(self, concrete_arguments(called(self), args, nargs, kwnames));  // reports what does not fit
  });
}

// A call's arguments as a tuple and a dict, in the form of vectorcall.
struct Spread {
  std::vector<PyObject*> values;
  Py_ssize_t positional = 0;
  Ref names;

  Spread(PyObject* args, PyObject* keywords) {
    const Items given(args, "the arguments must be a tuple");
    if (!PyDict_Check(keywords)) fail(ErrorKind::kType, "the named arguments must be a dict");
    values.assign(given.begin(), given.end());
    positional = given.size();
    held_ = checked(PyDict_Items(keywords));
    const auto count = PyList_GET_SIZE(held_.get());
    if (!count) return;
    names = checked(PyTuple_New(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject* const pair = PyList_GET_ITEM(held_.get(), i);
      if (!PyUnicode_Check(PyTuple_GET_ITEM(pair, 0))) fail(ErrorKind::kType, "keywords must be strings");
      PyTuple_SET_ITEM(names.get(), i, Py_NewRef(PyTuple_GET_ITEM(pair, 0)));
      values.push_back(PyTuple_GET_ITEM(pair, 1));
    }
  }

 private:
  Ref held_;
};

// _call_with_flat_signature(args, kwargs)
PyObject* call_flat(PyObject* self, PyObject* const* given, Py_ssize_t count) {
  if (count != 2) fail(ErrorKind::kType, "_call_with_flat_signature takes arguments and named arguments");
  const Spread all(given[0], given[1]);
  bool other_shapes = false;
  const auto tensors = [&](bool* other) {
    return flat_arguments(called(self), all.values.data(), all.positional, all.names.get(), other);
  };
  const std::vector<Tensor> inputs = tensors(&other_shapes);
  if (!other_shapes) return run(self, inputs);
  if (PyObject* const result = run_for_other_shapes(self, inputs)) return result;
  return run(self, tensors(nullptr));
}

// call_with_captures(args, kwargs, captures): with other values in place of those that were captured.
PyObject* call_with_captures(PyObject* self, PyObject* const* given, Py_ssize_t count) {
  if (count != 3) fail(ErrorKind::kType, "call_with_captures takes arguments, named arguments and captures");
  TraceEntry& entry = entry_of(self);
  const std::vector<Tensor>& captured = entry.concrete->captures();
  const Spread all(given[0], given[1]);
  std::vector<Tensor> inputs =
      concrete_arguments(called(self), all.values.data(), all.positional, all.names.get());
  const Items captures(given[2], "the captures must be a list");
  if (static_cast<size_t>(captures.size()) != captured.size())
    fail(ErrorKind::kValue, "concrete function '", core_in(self).name, "' has ", captured.size(), " captures, ",
         captures.size(), " were given");
  for (PyObject* one : captures)
    inputs.push_back(checked_input(called(self), inputs.size(), one, str("capture ", inputs.size())));
  std::vector<Tensor> outputs = with_open_captures(entry).call(inputs);
  return result_of(entry, outputs).release();
}

// For each parameter: its name, the number of its kind in Python, and its type in words.
PyObject* get_parameters(PyObject* self, void*) {
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
}

PyObject* to_str(PyObject* self) { return text("ConcreteFunction " + signature_block(entry_of(self))).release(); }
PyObject* repr(PyObject* self) {
  return checked(PyUnicode_FromFormat("<ConcreteFunction %s at %p>",
                                      function_type_text(entry_of(self)).c_str(), self))
      .release();
}

PyObject* pretty(PyObject* self, PyObject* args, PyObject* keywords) {
  int verbose = 1;
  parse_keywords(args, keywords, "|p:pretty_printed_signature", {"verbose"}, &verbose);
  const TraceEntry& entry = entry_of(self);
  return text(verbose ? signature_block(entry) : function_type_text(entry)).release();
}

PyObject* set_external_captures(PyObject* self, PyObject* values) {
  set_captures(entry_of(self), values);
  return Py_NewRef(Py_None);
}

PyObject* replace_with_deferred(PyObject* self, PyObject* args, PyObject* keywords) {
  PyObject *tensor, *closure, *spec, *placeholder = nullptr, *otherwise = nullptr;
  parse_keywords(args, keywords, "OOO|OO:replace_capture_with_deferred_capture",
                 {"tensor", "closure", "spec", "placeholder", "default_value"}, &tensor, &closure, &spec, &placeholder,
                 &otherwise);
  replace_capture(entry_of(self), tensor, closure, spec);
  return Py_NewRef(Py_None);
}

// The captures, with the functions that are asked for their values.
PyObject* get_own_captures(PyObject* self, void*) {
  const TraceEntry& entry = entry_of(self);
  if (!entry.replaced.empty())
    return list_of(entry.replaced, [](const CapturedValue& capture) { return capture.value; }).release();
  return list_of(entry.concrete->captures(), [](const Tensor& capture) { return checked(wrap(capture)); }).release();
}

PyObject* get_graph(PyObject* self, void*) { return graph_object(entry_of(self).concrete->graph()).release(); }
PyObject* get_inputs(PyObject* self, void*) {
  const GraphPtr graph = entry_of(self).concrete->graph();
  return list_of(graph->inputs.size(),
                 [&](size_t i) {
                   return checked(wrap(graph->tensor({graph->inputs[i], 0})));
                 })
      .release();
}
PyObject* get_outputs(PyObject* self, void*) {
  const GraphPtr graph = entry_of(self).concrete->graph();
  return list_of(graph->outputs.size(),
                 [&](size_t i) { return checked(wrap(graph->tensor(graph->outputs[i]))); })
      .release();
}
PyObject* get_captured(PyObject* self, void*) {
  const std::vector<Tensor> captures = captures_now(entry_of(self));
  return list_of(captures.size(), [&](size_t i) { return checked(wrap(captures[i])); }).release();
}
PyObject* get_flat_names(PyObject* self, void*) {
  const std::vector<std::string> names = flat_names(entry_of(self));
  return list_of(names.size(), [&](size_t i) { return text(names[i]); }).release();
}
PyObject* get_variables(PyObject* self, void* trainable_only) {
  const auto& variables = entry_of(self).captured_variables;
  Ref list = list_of(variables.size(), [&](size_t i) {
    const bool wanted = variables[i] && (!trainable_only || variable_trainable(variables[i].get()));
    return wanted ? variables[i] : Ref();
  });
  return checked(PyList_AsTuple(list.get())).release();
}
// For each capture, its variable or None.
PyObject* get_captured_variables(PyObject* self, void*) {
  const auto& variables = entry_of(self).captured_variables;
  return list_of(variables.size(), [&](size_t i) { return variables[i] ? variables[i] : Ref::borrow(Py_None); })
      .release();
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
  const GraphPtr graph = entry_of(self).concrete->graph();
  return structured(self,
                    [&](DType, const Shape&, Edge edge) { return checked(wrap(graph->tensor(edge))); })
      .release();
}
PyObject* get_output_shapes(PyObject* self, void*) {
  return structured(self, [](DType, const Shape& shape, Edge) { return checked(shape_object(shape)); })
      .release();
}
PyObject* get_output_dtypes(PyObject* self, void*) {
  return structured(self, [](DType dtype, const Shape&, Edge) { return Ref::borrow(dtype_object(dtype)); })
      .release();
}
// The graph with the values of its captures as constants.
PyObject* frozen_graph(PyObject* self, PyObject*) {
  return graph_object(trace::freeze(graph_in(self), entry_of(self).concrete->captures())).release();
}
PyObject* get_name(PyObject* self, void*) { return PyBytes_FromString(graph_in(self).name().c_str()); }

PyObject* same(PyObject* self, PyObject*) { return Py_NewRef(self); }  // a trace does not change

PyMethodDef methods[] = {
    {"__copy__", same, METH_NOARGS, nullptr},
    {"__deepcopy__", same, METH_O, nullptr},
    {"pretty_printed_signature", as_method(guard<pretty>),
     METH_VARARGS | METH_KEYWORDS, "Parameters, result and captures as text."},
    {"_call_with_captures", as_method(guard<call_with_captures>),
     METH_FASTCALL, "The trace with other values in place of those that were captured."},
    {"_call_with_flat_signature", as_method(guard<call_flat>),
     METH_FASTCALL, "The trace with each tensor of its arguments given by itself."},
    {"set_external_captures", guard<set_external_captures>, METH_O,
     "Other values in place of those that were captured, or functions that give them at each call."},
    {"replace_capture_with_deferred_capture",
     as_method(guard<replace_with_deferred>),
     METH_VARARGS | METH_KEYWORDS,
     "A function that gives the value at each call, in place of a tensor that was captured."},
    {"_frozen_graph", guard<frozen_graph>, METH_NOARGS, "The graph with the values of its captures as constants."},
    {nullptr, nullptr, 0, nullptr}};
int trainable_ones;
PyGetSetDef properties[] = {{"graph", guard<get_graph>, nullptr, "what was traced", nullptr},
                            {"inputs", guard<get_inputs>, nullptr, nullptr, nullptr},
                            {"outputs", guard<get_outputs>, nullptr, nullptr, nullptr},
                            {"captured_inputs", guard<get_captured>, nullptr, nullptr, nullptr},
                            {"_captured_inputs", guard<get_own_captures>, nullptr, nullptr, nullptr},
                            {"_flat_names", guard<get_flat_names>, nullptr, nullptr, nullptr},
                            {"_captured_variables", guard<get_captured_variables>, nullptr, nullptr, nullptr},
                            {"variables", guard<get_variables>, nullptr, nullptr, nullptr},
                            {"trainable_variables", guard<get_variables>, nullptr, nullptr, &trainable_ones},
                            {"structured_input_signature", get_structured_inputs, nullptr, nullptr, nullptr},
                            {"structured_outputs", guard<get_structured_outputs>, nullptr, nullptr, nullptr},
                            {"output_shapes", guard<get_output_shapes>, nullptr, nullptr, nullptr},
                            {"output_dtypes", guard<get_output_dtypes>, nullptr, nullptr, nullptr},
                            {"name", guard<get_name>, nullptr, nullptr, nullptr},
                            {"_parameters", guard<get_parameters>, nullptr, nullptr, nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

Ref concrete_object(PyObject* function, const std::shared_ptr<TraceEntry>& entry) {
  if (entry->object) {
    if (Ref known = weak_target(entry->object.get())) return known;
  }
  Ref object = new_object<PyConcrete>(type, call, entry, Ref::borrow(function));
  entry->object = checked(PyWeakref_NewRef(object.get(), nullptr));
  return object;
}

std::shared_ptr<TraceEntry> concrete_entry(PyObject* o) {
  if (Py_TYPE(o) != &type) fail(ErrorKind::kType, "expected a ConcreteFunction, got ", repr_of(o));
  return reinterpret_cast<PyConcrete*>(o)->entry;
}

FunctionId concrete_function(PyObject* o) { return core_in(o).function.id(); }

void init_concrete(PyObject*) {
  define_type<PyConcrete>(type, "footlight.ConcreteFunction",
                          {.doc = "One trace of a function.",
                           .base = trackable_type,
                           .flags = Py_TPFLAGS_DISALLOW_INSTANTIATION,
                           .traverse = visit_members<&PyConcrete::function>,
                           .repr = guard<repr>,
                           .str = guard<to_str>,
                           .properties = properties,
                           .methods = methods});
  publish("types.experimental.ConcreteFunction", reinterpret_cast<PyObject*>(&type));
}

}  // namespace footlight::python
