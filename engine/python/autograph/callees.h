// Keeps the converted forms of functions and methods that traced code calls, while something is traced.
#pragma once

#include "engine/python/interpreter/ref.h"

namespace footlight::python::ag {

// While one exists, converted functions are kept together with their originals. They hold the same references and die
// with them.
class KeepCallees {
 public:
  KeepCallees();
  ~KeepCallees();
  KeepCallees(const KeepCallees&) = delete;
  KeepCallees& operator=(const KeepCallees&) = delete;
};

// Calls a Python function in its converted form, or as it is where it is not converted. As a vectorcall.
PyObject* call_function(PyObject* function, PyObject* const* args, size_t count, PyObject* names);

// Calls converted_call(object.name, *args, **kwargs), with arguments evaluated before the attribute: method_call(name,
// object, *args, **kwargs)
PyObject* method_call(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* names);

// How many functions were made to be kept, and how many of them were released, since the process began.
struct CalleeCounts {
  uint64_t made = 0, emptied = 0;
};
extern CalleeCounts callee_counts;

}  // namespace footlight::python::ag
