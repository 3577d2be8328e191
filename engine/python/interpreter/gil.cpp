// Letting go of the GIL and taking it again; a thread that comes back while the interpreter ends stays out
// for good.
#include "engine/python/interpreter/gil.h"

#include "engine/base/recording.h"
#include "engine/record/sources.h"

#include <unistd.h>

namespace footlight::python {

namespace {
bool finalizing() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing();
#else
  return _Py_IsFinalizing();
#endif
}
}  // namespace

void WithoutGil::release() {
  if (recording_ops()) record::source_without_interpreter = current_source();
  state_ = PyEval_SaveThread();
}

void WithoutGil::restore() {
  // Python would end this thread by unwinding it, through C++ that cannot be unwound so.
  while (finalizing()) pause();
  PyEval_RestoreThread(state_);
  record::source_without_interpreter = {};
}

}  // namespace footlight::python
