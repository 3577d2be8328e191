// Clearing Python exceptions, and saving them. Nothing else in this tree clears one, so that a user's interrupt is
// never lost.
#include "engine/python/interpreter/exceptions.h"

namespace footlight::python {
namespace {

// Exceptions that concern the process, not the code in which they occur.
bool always_goes_on(PyObject* exception) {
  return PyErr_GivenExceptionMatches(exception, PyExc_MemoryError) ||
         PyErr_GivenExceptionMatches(exception, PyExc_RecursionError);
}

}  // namespace

bool cleared_if(PyObject* classes) {
  PyObject* set = PyErr_Occurred();
  if (!set || !PyErr_GivenExceptionMatches(set, classes) || always_goes_on(set)) return false;
  PyErr_Clear();
  return true;
}

void clear_only(PyObject* classes) {
  if (PyErr_Occurred() && !cleared_if(classes)) throw PythonErrorSet();
}

void report_unraisable(PyObject* where) {
  if (PyErr_Occurred()) PyErr_WriteUnraisable(where);
}

Ref take_exception() {
#if PY_VERSION_HEX >= 0x030C0000
  return Ref::steal(PyErr_GetRaisedException());
#else
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (!type) return {};
  PyErr_NormalizeException(&type, &value, &traceback);
  const Ref owned_type = Ref::steal(type), owned_traceback = Ref::steal(traceback);
  if (traceback) PyException_SetTraceback(value, traceback);
  return Ref::steal(value);
#endif
}

void raise_again(Ref exception) {
  if (!exception) return;
#if PY_VERSION_HEX >= 0x030C0000
  PyErr_SetRaisedException(exception.release());
#else
  PyObject* value = exception.release();
  PyErr_Restore(Py_NewRef(reinterpret_cast<PyObject*>(Py_TYPE(value))), value, PyException_GetTraceback(value));
#endif
}

ExceptionSetAside::~ExceptionSetAside() {
  PyObject* set = PyErr_Occurred();
  if (set && !PyErr_GivenExceptionMatches(set, PyExc_Exception)) return;
  PyErr_Clear();
  raise_again(std::move(exception_));
}

}  // namespace footlight::python
