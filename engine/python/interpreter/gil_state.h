// Taking the GIL in a thread of C++ while the interpreter may be ending.
//
// Python ends a daemon thread that asks for the GIL too late by unwinding its stack. Our frames cannot be unwound:
// their destructors release Python objects, which needs the GIL. Such a thread waits here until the process is gone.
#pragma once

#include "engine/python/interpreter/ref.h"

namespace footlight::python {

// The other half of PyEval_SaveThread.
void take_gil_again(PyThreadState* state);

// Holds the GIL while it lives, in whatever thread.
class WithGil {
 public:
  WithGil();
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace footlight::python
