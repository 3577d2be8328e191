// Taking the GIL in a thread of C++ while the interpreter may be ending.
//
// Python ends a daemon thread that asks for the GIL too late with pthread_exit(), which unwinds its stack. Our frames
// cannot be unwound: their destructors release Python objects, which needs the GIL. Such a thread waits here until the
// process is gone, wherever it was: in our own code that takes the GIL back, or in Python code that our code called.
#pragma once

#include "engine/base/activity.h"
#include "engine/python/interpreter/ref.h"

namespace footlight::python {

// Whether stay_out_at_exit() was called on this thread, by this extension module. Three modules share this file, each
// with a flag of its own: it is not in PythonContext, which only the engine's module has.
extern constinit thread_local bool stays_out __attribute__((tls_model("initial-exec"), visibility("hidden")));
// From here on pthread_exit() makes this thread wait when the interpreter is ending, before any frame is unwound.
void stay_out_at_exit();

// Python has called into the engine. `stays_out` is false while a call is compared (engine/base/activity.h), so that
// one branch serves both.
class EngineEntry {
 public:
  EngineEntry() {
    if (!stays_out) [[unlikely]] begin();
  }
  [[gnu::always_inline]] ~EngineEntry() {
    if (log_) [[unlikely]] log_->begin(before_);
  }
  EngineEntry(const EngineEntry&) = delete;
  EngineEntry& operator=(const EngineEntry&) = delete;

 private:
  void begin();
  ActivityLog* log_ = nullptr;
  Activity before_ = Activity::kPython;
};

// The other half of PyEval_SaveThread.
void take_gil_again(PyThreadState* state);

// Lets other Python threads run while it lives.
class GilReleased {
 public:
  GilReleased() : state_(PyEval_SaveThread()) {}
  ~GilReleased() { take_gil_again(state_); }
  GilReleased(const GilReleased&) = delete;
  GilReleased& operator=(const GilReleased&) = delete;

 private:
  PyThreadState* const state_;
};

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
