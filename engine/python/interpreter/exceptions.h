// Conversion between Python and C++ exceptions; the only place that clears a Python exception.
#pragma once

#include "engine/python/interpreter/gil_state.h"
#include "engine/python/interpreter/ref.h"

#include <type_traits>

namespace footlight::python {

// Sets the Python exception for the C++ exception being handled; call it inside `catch (...)`.
void set_python_error();

// Runs `body`, turning C++ exceptions into Python ones: `return guarded([&] { ... return object; });` A slot of a type
// that says "an exception is set" by a number names it: `return guarded(-1, [&] { ... return 0; });`
template <class Result, class Body>
Result guarded(Result failed, Body&& body) {
  const EngineEntry entry;
  try {
    return body();
  } catch (...) {
    set_python_error();
    return failed;
  }
}
template <class Body>
PyObject* guarded(Body&& body) {
  return guarded(static_cast<PyObject*>(nullptr), body);
}

// For tables of methods and properties, and for slots: the C function that calls `f`, which may throw.
template <auto f>
struct Guard;
template <class Result, class... Arguments, Result (*f)(Arguments...)>
struct Guard<f> {
  static Result call(Arguments... arguments) {
    const auto body = [&] { return f(arguments...); };
    if constexpr (std::is_pointer_v<Result>) return guarded(Result{nullptr}, body);
    else return guarded(Result{-1}, body);
  }
};
template <auto f>
inline constexpr auto guard = &Guard<f>::call;

// Clears the current exception if it is one of `classes` (a class, or a tuple of them) and returns whether it was; any
// other stays set. MemoryError and RecursionError are never cleared, and KeyboardInterrupt and SystemExit are not
// derived from Exception: cleared_if(PyExc_Exception) tests whether user code failed in an ordinary way.
bool cleared_if(PyObject* classes);
// The same for code that may throw: throws PythonErrorSet for any other exception.
void clear_only(PyObject* classes);

// Prints and clears the current exception where it cannot be raised: in destructors and callbacks. `where` is shown in
// the message, and may be null.
void report_unraisable(PyObject* where);

// Fetches and clears the current exception, with its traceback; null if there is none.
Ref take_exception();
void raise_again(Ref exception);

// Saves the current exception in its scope and restores it at the end. Exceptions raised in between are dropped, except
// for KeyboardInterrupt and SystemExit, which replace it.
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

// For a recorder's looks at a program, which may fail and must change nothing: ordinary exceptions are dropped.
template <class Look>
void quietly(Look&& look) {
  const ExceptionSetAside aside;
  try {
    look();
  } catch (const PythonErrorSet&) {
    cleared_if(PyExc_Exception);
  } catch (const std::exception&) {
  }
}

void init_errors();  // by init_interpreter

}  // namespace footlight::python
