// Python code of ours that runs while a program's debugger, profiler or coverage is on is none of the program's: while
// this lives, none of them hears of it.
#pragma once

#include <Python.h>

namespace footlight::python {

class Unseen {
 public:
  Unseen() { PyThreadState_EnterTracing(PyThreadState_Get()); }
  ~Unseen() { PyThreadState_LeaveTracing(PyThreadState_Get()); }
  Unseen(const Unseen&) = delete;
  Unseen& operator=(const Unseen&) = delete;
};

}  // namespace footlight::python
