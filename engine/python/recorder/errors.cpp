// C++ errors as Python's own exceptions: this extension knows none of the engine's.
#include "engine/python/interpreter/exceptions.h"

#include <exception>
#include <new>
#include <string_view>

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

// A path in the message may be no UTF-8, of which PyErr_SetString would make an error without a word.
void set_error(PyObject* type, std::string_view message) {
  const Ref text =
      Ref::steal(PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "replace"));
  if (text) PyErr_SetObject(type, text.get());
}

}  // namespace

void set_python_error() {
  try {
    throw;
  } catch (const PythonErrorSet&) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "a Python call failed without setting an exception");
  } catch (const Error& e) {
    set_error(class_of(e.kind()), e.message());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_Format(PyExc_SystemError, "an error in Footlight's recorder: %s", e.what());
  }
}

}  // namespace footlight::python
