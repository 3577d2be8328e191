// The tf.autograph namespace, and the cells through which converted code reaches the runtime.
#include "engine/autograph/convert.h"
#include "engine/python/autograph/callees.h"
#include "engine/python/autograph/compiled.h"
#include "engine/python/autograph/comprehension_turns.h"
#include "engine/python/autograph/contained_loops.h"
#include "engine/python/autograph/convert.h"
#include "engine/python/autograph/inspect.h"
#include "engine/python/autograph/operators.h"
#include "engine/python/autograph/runtime.h"
#include "engine/python/autograph/self_contained.h"
#include "engine/python/autograph/sequences.h"
#include "engine/python/autograph/source_check.h"
#include "engine/python/autograph/ast_bridge.h"
#include "engine/python/interpreter/attributes.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/text.h"

#include <array>

namespace footlight::python {

namespace ag {

namespace {
PyObject* the_undefined_return = nullptr;

PyMethodDef runtime_methods[] = {
    {"if_stmt", as_method(if_stmt), METH_FASTCALL, nullptr},
    {"while_stmt", as_method(while_stmt), METH_FASTCALL, nullptr},
    {"for_stmt", as_method(for_stmt), METH_FASTCALL, nullptr},
    {"converted_call", as_method(converted_call), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"method_call", as_method(method_call), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"if_exp", as_method(if_exp), METH_FASTCALL, nullptr},
    {"and_", as_method(and_), METH_FASTCALL, nullptr},
    {"or_", as_method(or_), METH_FASTCALL, nullptr},
    {"not_", not_, METH_O, nullptr},
    {"ret", as_method(ret), METH_FASTCALL, nullptr},
    {"append", as_method(append), METH_FASTCALL, nullptr},
    {"staged", staged, METH_O, nullptr},
    {"plain", as_method(plain), METH_FASTCALL, nullptr},
    {"turns", turns, METH_O, nullptr},
    {"tracing", tracing, METH_NOARGS, nullptr},
    {"raising", as_method(raising), METH_FASTCALL, nullptr},
    {"depth", depth, METH_NOARGS, nullptr},
    {"asserted", as_method(asserted), METH_FASTCALL, nullptr},
    {"comprehension", as_method(comprehension), METH_FASTCALL, nullptr},
    {"kept", as_method(kept), METH_FASTCALL, nullptr},
    {"items", items, METH_O, nullptr},
    {"contained", contained, METH_O, nullptr},
    {"numbers", numbers, METH_O, nullptr},
    {"decided", decided, METH_O, nullptr},
    {"late", as_method(late), METH_FASTCALL, nullptr},
};
constexpr size_t kRuntimeCount = std::size(runtime_methods);
std::array<PyObject*, kRuntimeCount> runtime_cells;
PyObject* undefined_cell = nullptr;
PyObject* forever_cell = nullptr;
PyObject* to_stage_cell = nullptr;
}  // namespace

PyObject* undefined_return() { return the_undefined_return; }

void init_runtime() {
  the_undefined_return = checked(PyObject_CallNoArgs(reinterpret_cast<PyObject*>(&PyBaseObject_Type))).release();
  undefined_cell = checked(PyCell_New(the_undefined_return)).release();
  const Ref itertools = checked(PyImport_ImportModule("itertools"));
  const Ref forever = checked(PyObject_CallMethod(itertools.get(), "repeat", "O", Py_None));
  forever_cell = checked(PyCell_New(forever.get())).release();
  to_stage_cell = checked(PyCell_New(to_stage().get())).release();
  for (size_t i = 0; i < kRuntimeCount; ++i) {
    const Ref function = checked(PyCFunction_New(&runtime_methods[i], nullptr));
    runtime_cells[i] = checked(PyCell_New(function.get())).release();
  }
}

}  // namespace ag

PyObject* ag_runtime_cell(std::string_view name) {
  using namespace ag;
  if (name == autograph::runtime_name::kUndefinedReturn) return undefined_cell;
  if (name == autograph::runtime_name::kForever) return forever_cell;
  if (name == autograph::runtime_name::kToStage) return to_stage_cell;
  if (!name.starts_with(autograph::runtime_name::kPrefix)) return nullptr;
  name.remove_prefix(autograph::runtime_name::kPrefix.size());
  for (size_t i = 0; i < kRuntimeCount; ++i)
    if (name == runtime_methods[i].ml_name) return runtime_cells[i];
  return nullptr;
}

namespace {

[[noreturn]] void refuse(PyObject* entity, const std::string& reason) {
  static PyObject* const kind = checked(PyObject_GetAttrString(
      checked(PyImport_ImportModule("footlight._autograph.ag")).get(), "ConversionError")).release();
  PyErr_Format(kind, "%R cannot be converted: %s", entity, reason.c_str());
  throw PythonErrorSet();
}

void refuse_traced(PyObject* entity) {
  if (optional_attribute(entity, "python_function"))
    refuse(entity, "it is a tf.function; try passing its python_function instead");
}

PyObject* to_code(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject* entity = nullptr;
  int recursive = 1;
  PyObject* features = nullptr;
  parse_keywords(args, keywords, "O|pO:to_code", {"entity", "recursive", "experimental_optional_features"}, &entity,
                 &recursive, &features);
  refuse_traced(entity);
  if (features && is_true(features)) {  // code_with() adds them to the code without them
    const Ref module = checked(PyImport_ImportModule("footlight._autograph.features"));
    return checked(PyObject_CallMethod(module.get(), "code_with", "OO", entity, features)).release();
  }
  session::GeneratedRecord record;
  std::string reason;
  if (!ag_generated_record(entity, &record, &reason)) refuse(entity, reason);
  return PyUnicode_DecodeUTF8(record.text.data(), static_cast<Py_ssize_t>(record.text.size()), "surrogatepass");
}

PyObject* to_graph(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject* entity = nullptr;
  int recursive = 1;
  PyObject* features = nullptr;
  parse_keywords(args, keywords, "O|pO:to_graph", {"entity", "recursive", "experimental_optional_features"}, &entity,
                 &recursive, &features);
  refuse_traced(entity);
  Ref converted = checked(ag_convert(entity, recursive != 0, true));
  const bool as_written = ag::is_unconverted(entity);  // calls of it may only run it as written
  if (converted.get() == entity && !ag_is_converted(entity) && !as_written) refuse(entity, ag_reason(entity));
  return converted.release();
}

PyObject* do_not_convert(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject* function = nullptr;
  parse_keywords(args, keywords, "|O:do_not_convert", {"func"}, &function);
  if (function && function != Py_None) return ag::unconverted(function);
  // @do_not_convert() with parentheses
  static PyMethodDef decorator = {"do_not_convert", [](PyObject*, PyObject* f) { return ag::unconverted(f); },
                                  METH_O, nullptr};
  return PyCFunction_New(&decorator, nullptr);
}

// Directives: conversion removes them from loops. Called anywhere else, they do nothing.
PyObject* set_loop_options(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject *a = nullptr, *b = nullptr, *c = nullptr, *d = nullptr;
  parse_keywords(args, keywords, "|OOOO:set_loop_options",
                 {"parallel_iterations", "swap_memory", "maximum_iterations", "shape_invariants"}, &a, &b, &c, &d);
  Py_RETURN_NONE;
}

// Like print: prints its arguments while tracing. TensorFlow has both.
PyObject* trace_values(PyObject*, PyObject* args) {
  PyObject* print = find_item(PyEval_GetBuiltins(), "print");
  if (!print) fail(ErrorKind::kName, "name 'print' is not defined");
  return PyObject_Call(print, args, nullptr);
}

PyObject* set_verbosity(PyObject*, PyObject* args, PyObject* keywords) {
  int level = 0, also = 0;
  parse_keywords(args, keywords, "i|p:set_verbosity", {"level", "alsologtostdout"}, &level, &also);
  ag_verbosity = level;
  ag_says_on_stdout = also;
  Py_RETURN_NONE;
}

PyMethodDef public_methods[] = {
    {"to_code", as_method(guard<to_code>), METH_VARARGS | METH_KEYWORDS, "The converted code of a function, as text."},
    {"to_graph", as_method(guard<to_graph>), METH_VARARGS | METH_KEYWORDS, "The converted function."},
    {"do_not_convert", as_method(guard<do_not_convert>), METH_VARARGS | METH_KEYWORDS,
     "A function that tracing runs without conversion."},
    {"set_loop_options", as_method(guard<set_loop_options>), METH_VARARGS | METH_KEYWORDS,
     "Options of the loop at whose head it is called: shape_invariants, maximum_iterations, "
     "parallel_iterations."},
    {"trace", guard<trace_values>, METH_VARARGS, "Prints its arguments while a function is traced."},
    {"set_verbosity", as_method(guard<set_verbosity>), METH_VARARGS | METH_KEYWORDS,
     "From level 1 on, functions that run unconverted are named on stderr, with the reason."},
};

PyObject* nanoseconds(PyObject*, PyObject*) { return PyLong_FromLongLong(ag_nanoseconds()); }
PyObject* reason_of(PyObject*, PyObject* callable) { return PyUnicode_FromString(ag_reason(callable).c_str()); }
PyObject* callees(PyObject*, PyObject*) {
  return Py_BuildValue("KK", static_cast<unsigned long long>(ag::callee_counts.made),
                       static_cast<unsigned long long>(ag::callee_counts.emptied));
}
PyObject* late_count(PyObject*, PyObject*) { return PyLong_FromUnsignedLongLong(ag::late_count); }
PyObject* contained_loops(PyObject*, PyObject*) {
  return Py_BuildValue("KK", static_cast<unsigned long long>(ag::contained_counts.asked),
                       static_cast<unsigned long long>(ag::contained_counts.written));
}
PyObject* looked_at(PyObject*, PyObject*) { return PyLong_FromUnsignedLongLong(ag::looked_at); }
PyObject* frames_of(PyObject*, PyObject* exception) {
  if (!PyExceptionInstance_Check(exception))
    fail(ErrorKind::kType, "an exception is wanted, not ", repr_of(exception));
  return ag_frames(exception).release();
}
PyMethodDef private_methods[] = {
    {"autograph_contained_loops", contained_loops, METH_NOARGS,
     "How often loops were asked whether they meet no tensor, and how often they ran as they were written."},
    {"autograph_looked_at", looked_at, METH_NOARGS, "How many values were looked at before calls, for tensors."},
    {"autograph_late", late_count, METH_NOARGS, "How many staged forms of statements were compiled."},
    {"autograph_callees", callees, METH_NOARGS, "How many functions were made to be kept in a trace, and let go."},
    {"autograph_nanoseconds", nanoseconds, METH_NOARGS, "Time that this thread spent on conversions."},
    {"autograph_frames", guard<frames_of>, METH_O,
     "The frames of the program's code in the traceback of an exception."},
    {"autograph_reason", guard<reason_of>, METH_O, "Why a function is not converted, or an empty string."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void init_autograph(PyObject* module) {
  if (!init_ast_bridge()) throw PythonErrorSet();
  ag::init_runtime();
  ag::init_unconverted();
  ag::init_sequences();
  ag::init_turns();
  ag::init_comprehension_turns();
  ag::init_builtins();
  publish_function("autograph.to_code", &public_methods[0]);
  publish_function("autograph.to_graph", &public_methods[1]);
  publish_function("autograph.experimental.do_not_convert", &public_methods[2]);
  publish_function("autograph.experimental.set_loop_options", &public_methods[3]);
  publish_function("autograph.trace", &public_methods[4]);
  publish_function("autograph.set_verbosity", &public_methods[5]);
  static PyMethodDef alias = public_methods[2];
  publish_function("autograph.do_not_convert", &alias);
  if (PyModule_AddFunctions(module, private_methods) < 0) throw PythonErrorSet();
  init_autograph_inspection(module);
  init_autograph_operators(module);
  init_source_check();
}

}  // namespace footlight::python
