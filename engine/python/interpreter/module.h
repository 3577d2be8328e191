// The namespaces that users see (`footlight`, `footlight.nn`, ...), and how every room adds its names to them.
#pragma once

#include "engine/python/interpreter/exceptions.h"

namespace footlight::python {

// Each room adds its types and functions, in this order, called by extension.cpp. `module` is footlight._engine. What
// fails leaves a Python exception set and throws PythonErrorSet.
void init_interpreter(PyObject* module);
void init_types(PyObject* module);
void init_calls(PyObject* module);
void init_gradients(PyObject* module);
void init_function(PyObject* module);
void init_autograph(PyObject* module);

// Before all rooms, once.
void init_namespaces();
bool namespaces_exist();

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
