// What each part of this folder adds to the extension module `footlight._engine`, and how it adds it.
#pragma once

#include "engine/python/interpreter/exceptions.h"

namespace footlight::python {

// Each part registers its types and functions; a failed one leaves a Python exception set and throws
// PythonErrorSet. `module` is footlight._engine. Called once, in this order, from module.cpp.
void init_errors(PyObject* module);
void init_dtype(PyObject* module);
void init_shape(PyObject* module);
void init_tensor(PyObject* module);
void init_conversions(PyObject* module);
void init_constant();  // by init_conversions
void init_specs(PyObject* module);
void init_variable(PyObject* module);
void init_tape(PyObject* module);
void init_custom_gradient(PyObject* module);  // by init_tape
void init_config(PyObject* module);
void init_print(PyObject* module);
void init_nest(PyObject* module);
void init_public_functions(PyObject* module);
void init_source(PyObject* module);
void init_function(PyObject* module) __attribute__((weak));   // function_*.cpp
void init_autograph(PyObject* module) __attribute__((weak));  // ag_*.cpp, ast_bridge*.cpp

// The public namespace: "" is `footlight` itself, "nn", "autograph.experimental", ... Made on first use, then
// always the same object; also reachable by `import footlight.nn`. Borrowed.
PyObject* namespace_of(const char* dotted);

// A C function with keywords, for a PyMethodDef.
inline PyCFunction with_keywords(PyCFunctionWithKeywords f) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f));
}

// Adds `object` (borrowed) as a public name: publish("math.add", f), publish("function", type). Throws
// PythonErrorSet.
void publish(const char* dotted, PyObject* object);

// PyCFunction with keywords as a public name: its __module__ is the namespace. `method` must live for ever.
void publish_function(const char* dotted, PyMethodDef* method);

}  // namespace footlight::python
