// Hides our own Python code from a program's debugger, profiler and coverage while it lives.
#pragma once

#include <Python.h>

namespace footlight::python {

class DisableTracing {
 public:
  DisableTracing() { PyThreadState_EnterTracing(PyThreadState_Get()); }
  ~DisableTracing() { PyThreadState_LeaveTracing(PyThreadState_Get()); }
  DisableTracing(const DisableTracing&) = delete;
  DisableTracing& operator=(const DisableTracing&) = delete;
};

}  // namespace footlight::python
