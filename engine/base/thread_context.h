// Where execution stands on a thread: what it builds, what records it, which calls it is inside of. One struct serves
// all layers, whose types it knows by name only.
#pragma once

#include "engine/base/ids.h"

#include <cstdint>

namespace footlight {

class ActivityLog;
class Builder;
class GradientWanted;
class ThreadRings;
struct Device;
struct Recorders;
namespace data {
class SpanRecorder;
}
namespace runtime {
class NodeWatch;
}
namespace trace {
class FunctionScope;
class InPlaceOf;
}

#if defined(__GNUC__)
#define FL_FAST_TLS __attribute__((tls_model("initial-exec")))  // saves a function call at each use
#endif

// Members are pointers and numbers, which need neither a constructor nor a destructor: only so is a use one load. They
// are set and put back by scopes (`Building`, `WorkScope`, ...), which are beside the classes that they point to.
struct ThreadContext {
  // The graph that ops are added to; null: they run at once. Building, engine/trace/graph_builder.h.
  Builder* builder = nullptr;
  // The tapes and accumulators of this thread; null while none records, or they are hidden. engine/eager/tape.h.
  Recorders* recorders = nullptr;
  // Set by tf.device: ops run there if they have a kernel for it, else on the host. Null: where the inputs are.
  const Device* device = nullptr;
  // Sees the results of nodes; null: nobody looks. engine/runtime/watch.h.
  runtime::NodeWatch* node_watch = nullptr;

  // The buffers for this thread's events; null before the first. thread_rings(), recording.h.
  ThreadRings* rings = nullptr;
  // The log of what the thread does while a call is compared; else null. activity.h.
  ActivityLog* activity = nullptr;
  // The traced call that this thread is running; set by the executor.
  CallId call;
  // Where the program stood when this thread let go of the interpreter (Python: the GIL), until it takes it again.
  SourceRef source_without_interpreter;
  // The line of the node that makes a dataset, while a recording sees single ops; else none. running_node.h.
  SourceRef node_source;
  // Records spans of the stage that this thread works for; null if nothing is recorded. engine/data/watch.h.
  data::SpanRecorder* span_recorder = nullptr;

  // Which gradients of the current op are needed; null: all. engine/ops/wanted.h.
  const GradientWanted* gradient_wanted = nullptr;
  // The function that is being traced, the innermost one. engine/trace/function_scope.h.
  trace::FunctionScope* function_scope = nullptr;
  // If set, new nodes get the source line of the node that it names. engine/trace/call_sites.h.
  const trace::InPlaceOf* in_place_of = nullptr;
  // The time that loops over all threads of the pool took is added here; null: nobody asks. thread_pool.h.
  int64_t* pool_ns = nullptr;
  // The time that this thread has spent compiling fused loops.
  int64_t jit_compile_ns = 0;

  // Nesting depths on this thread: traces; calls whose shapes are inferred; graphs being differentiated.
  int trace_depth = 0, call_shapes_depth = 0, derivative_depth = 0;
  bool is_in_pool_loop = false;
  // Whether only the first result of the current op is read. engine/ops/wanted.h.
  bool wants_first_result_only = false;
};
extern constinit thread_local ThreadContext this_thread FL_FAST_TLS;

}  // namespace footlight
