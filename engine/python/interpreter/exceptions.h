// Exceptions of Python and of C++, each as the other; the only place that clears a Python exception.
#pragma once

#include "engine/python/interpreter/ref.h"

namespace footlight::python {

// Sets the Python exception that belongs to the C++ exception in flight; call it inside `catch (...)`.
void set_python_error();

// Runs `body`, turning C++ exceptions into Python ones: `return guarded([&] { ... return object; });`
template <class Body>
PyObject* guarded(Body&& body) {
  try {
    return body();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

// Clears the exception that is set when it is one of `classes` (a class, or a tuple of them) and says whether it was.
// Every other one stays set. MemoryError and RecursionError are never cleared, and KeyboardInterrupt and SystemExit are
// no Exception: cleared_if(PyExc_Exception) asks whether a user's code failed in an ordinary way.
bool cleared_if(PyObject* classes);
// The same for code that may throw: any other exception goes on as PythonErrorSet.
void clear_only(PyObject* classes);

// Prints and drops the exception that is set, where nobody can be told: in destructors and callbacks. `where` is named
// in the message, and may be null.
void report_unraisable(PyObject* where);

// The exception that is set, with its traceback, and null when there is none. It is not set any more.
Ref take_exception();
void raise_again(Ref exception);

// Sets the current exception aside while it lives. What goes wrong meanwhile is dropped in its favour, except for
// KeyboardInterrupt and SystemExit, which replace it.
class ExceptionSetAside {
 public:
  ExceptionSetAside() : exception_(take_exception()) {}
  ~ExceptionSetAside();
  ExceptionSetAside(const ExceptionSetAside&) = delete;
  ExceptionSetAside& operator=(const ExceptionSetAside&) = delete;
  PyObject* get() const { return exception_.get(); }

 private:
  Ref exception_;
};

void init_errors();  // by init_interpreter

}  // namespace footlight::python
