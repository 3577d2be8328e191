// Taking the GIL in a thread of C++ while the interpreter may be ending.
#include "engine/python/interpreter/gil_state.h"

#include <cxxabi.h>
#include <pthread.h>
#include <unistd.h>

#include <memory>

// The oldest form of pthread_cleanup_push(), which the headers no longer declare: what it registers runs before the
// first frame above its record is unwound, and with a record outside of the stack that is before every frame.
extern "C" {
void _pthread_cleanup_push(_pthread_cleanup_buffer*, void (*)(void*), void*) noexcept __attribute__((weak));
void _pthread_cleanup_pop(_pthread_cleanup_buffer*, int) noexcept __attribute__((weak));
}

namespace footlight::python {
namespace {

bool interpreter_ends() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() || !Py_IsInitialized();
#else
  return _Py_IsFinalizing() || !Py_IsInitialized();
#endif
}

// The record of a thread, taken back when the thread ends by itself.
class BlockedAtExit {
 public:
  BlockedAtExit() {
    if (_pthread_cleanup_push)
      _pthread_cleanup_push(record_.get(), [](void*) { while (interpreter_ends()) pause(); }, nullptr);
  }
  ~BlockedAtExit() {
    if (_pthread_cleanup_pop) _pthread_cleanup_pop(record_.get(), 0);
  }
  void begin() const {}

 private:
  std::unique_ptr<_pthread_cleanup_buffer> record_ = std::make_unique<_pthread_cleanup_buffer>();
};
thread_local BlockedAtExit blocked_at_exit;

template <class Take>
auto or_stay_out(Take take) {
  try {
    return take();
  } catch (abi::__forced_unwind&) {
    for (;;) pause();
  }
}

}  // namespace

constinit thread_local bool stays_out = false;

void stay_out_at_exit() {
  blocked_at_exit.begin();
  stays_out = true;
}

void EngineEntry::begin() {
  ActivityLog* const log = this_thread.activity;
  if (!log) return stay_out_at_exit();
  before_ = log->begin(Activity::kDispatch);
  log_ = log;
}

void take_gil_again(PyThreadState* state) {
  or_stay_out([=] { PyEval_RestoreThread(state); });
}

WithGil::WithGil() : state_(or_stay_out([] { return PyGILState_Ensure(); })) {}

}  // namespace footlight::python
