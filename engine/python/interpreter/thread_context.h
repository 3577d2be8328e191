// Where execution stands on a thread, for Python's side: what ThreadContext (engine/base/thread_context.h) is to the
// engine. Types of the folders above are known by name alone.
#pragma once

#include "engine/base/ids.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace footlight::python {

class StateWatch;
struct RecordedCall;
using Conversions = std::vector<std::pair<int64_t, int64_t>>;  // from and to
namespace ag {
struct ComprehensionFilter;
}

// Members have no constructor and no destructor, as those of ThreadContext; references to Python objects are therefore
// kept beside the code that uses them. Scopes set them and put them back.
struct PythonContext {
  // Depth of the recursion over nested containers: Level, walk.h.
  int walk_levels = 0;

  // --- AutoGraph ---
  // Conversions are recorded for this function, and when they were goes there; null: nobody asks. ConversionsOf.
  FunctionId converting_for;
  Conversions* conversions = nullptr;
  // The time that this thread has spent converting, and the conversions that it is inside of. ag::Timer.
  int64_t conversion_ns = 0;
  int conversion_depth = 0;
  // Not 0: converted code does not convert what it calls. ConversionOff.
  int conversion_off_depth = 0;
  // The blocks that are being staged. StagedBlock, autograph/raise.cpp.
  int staged_depth = 0;
  // The comprehension over a tensor whose element is made, the innermost one. autograph/comprehension.cpp.
  ag::ComprehensionFilter* comprehension = nullptr;
  // Whether converted code prints tensors when its graph runs, rather than while tracing (Feature.BUILTIN_FUNCTIONS).
  bool prints_are_staged = false;
  // Whether what a graph cannot hold is an error. StrictTrace, autograph/strict.cpp.
  bool is_trace_strict = false;

  // Whether this thread has called end_datasets(): it goes on, while others that iterate stop. data/module_init.cpp.
  bool ends_program = false;
  // What is observed of the trace in progress, for a recording. function/observed/state_watch.cpp.
  StateWatch* state_watch = nullptr;

  // The call that a recorded callable is making, the innermost one. recorder/recorded_callable.cpp.
  RecordedCall* recorded_call = nullptr;
};
extern constinit thread_local PythonContext python_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

}  // namespace footlight::python
