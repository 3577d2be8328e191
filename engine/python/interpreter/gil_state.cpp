// Taking the GIL in a thread of C++ while the interpreter may be ending.
#include "engine/python/interpreter/gil_state.h"

#include <cxxabi.h>
#include <unistd.h>

namespace footlight::python {
namespace {

template <class Take>
auto or_stay_out(Take take) {
  try {
    return take();
  } catch (abi::__forced_unwind&) {
    for (;;) pause();
  }
}

}  // namespace

void take_gil_again(PyThreadState* state) {
  or_stay_out([=] { PyEval_RestoreThread(state); });
}

WithGil::WithGil() : state_(or_stay_out([] { return PyGILState_Ensure(); })) {}

}  // namespace footlight::python
