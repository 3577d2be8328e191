// C++ errors as Python's own exceptions: this extension knows none of the engine's.
#include "engine/python/interpreter/exceptions.h"

#include <exception>
#include <new>

namespace footlight::python {
namespace {

PyObject* class_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kValue: return PyExc_ValueError;
    case ErrorKind::kType: return PyExc_TypeError;
    case ErrorKind::kIo: return PyExc_OSError;
    case ErrorKind::kMemory: return PyExc_MemoryError;
    default: return PyExc_RuntimeError;
  }
}

}  // namespace

void set_python_error() {
  try {
    throw;
  } catch (const PythonErrorSet&) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "a Python call failed without setting an exception");
  } catch (const Error& e) {
    PyErr_SetString(class_of(e.kind()), e.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_Format(PyExc_SystemError, "an error in Footlight's recorder: %s", e.what());
  }
}

}  // namespace footlight::python
