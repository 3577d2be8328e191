// What functions and methods that traced code calls are converted to, kept while something is traced.
#pragma once

#include "engine/python/interpreter/ref.h"

namespace footlight::python::ag {

// While one exists, converted functions are kept with the functions they were made from. They hold what those hold, and
// are gone with them.
class KeepCallees {
 public:
  KeepCallees();
  ~KeepCallees();
  KeepCallees(const KeepCallees&) = delete;
  KeepCallees& operator=(const KeepCallees&) = delete;
};

// Calls a Python function in its converted form, or as it is where it is not converted. As a vectorcall.
PyObject* call_function(PyObject* function, PyObject* const* args, size_t count, PyObject* names);

// converted_call(object.name, *args, **kwargs), where the arguments are looked at after them: method_call(name, object,
// *args, **kwargs)
PyObject* method_call(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* names);

// How many functions were made to be kept, and how many of them were let go, since the process began.
struct CalleeCounts {
  uint64_t made = 0, emptied = 0;
};
extern CalleeCounts callee_counts;

}  // namespace footlight::python::ag
