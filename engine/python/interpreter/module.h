// The public namespaces (`footlight`, `footlight.nn`, ...), and how every folder adds its names to them.
#pragma once

#include "engine/python/interpreter/arguments.h"
#include "engine/python/interpreter/exceptions.h"

namespace footlight::python {

// Each folder adds its types and functions; extension.cpp calls these in this order. `module` is footlight._engine. On
// failure they set a Python exception and throw PythonErrorSet.
void init_interpreter(PyObject* module);
void init_types(PyObject* module);
void init_calls(PyObject* module);
void init_gradients(PyObject* module);
void init_function(PyObject* module);
void init_autograph(PyObject* module);
void init_data(PyObject* module);

// Called once, before all folders.
void init_namespaces();
bool namespaces_exist();

// The public namespace: "" is `footlight` itself, "nn", "autograph.experimental", ... Made on first use, then
// always the same object; also reachable by `import footlight.nn`. Borrowed.
PyObject* namespace_of(const char* dotted);

// Adds `object` (borrowed) as a public name: publish("math.add", f), publish("function", type). Throws
// PythonErrorSet.
void publish(const char* dotted, PyObject* object);

// A PyCFunction with keywords as a public name: its __module__ is the namespace. `method` must live forever.
void publish_function(const char* dotted, PyMethodDef* method);

}  // namespace footlight::python
