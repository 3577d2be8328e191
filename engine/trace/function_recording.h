// Records traced functions, their traces and calls. Graphs and keys are in graph_record.h and key_record.h.
#pragma once

#include "engine/trace/function.h"

namespace footlight::session {
class Writer;
}

namespace footlight::trace {

struct TraceTimes {
  int64_t start = 0;   // when the trace began
  int64_t body = 0;    // time that the body took
  compile::Phases compile = {};  // empty: it was not compiled, since no call waits for it
};

// These do nothing if nothing is recorded, except that a function gets its number.
void record_function(Function&);
// `error`: why tracing failed, if it did.
void record_trace(Function&, Trace&, const keys::Key&, session::TraceReason, const TraceTimes&,
                  const std::string& error);
// `asked`: the key of a call that went through the dispatcher.
void record_call_of(Function&, const CallRun&, TraceId, CallOutcome, std::span<const uint64_t> asked);
// The trace was made at that time for the next call that this thread makes of it: the call is recorded as the one that
// traced.
void note_traced_ahead(TraceId, int64_t start_ns);
// This thread waited since `start_ns` for another one that was tracing the function.
void record_wait(Function&, int64_t start_ns);
// Records an eviction: an object in `key` died, or (no key) there are more than `most` traces.
void record_eviction(Function&, const Trace&, const keys::Key* key, uint64_t object, size_t most);

// At the end of a recording: total numbers of evictions, if not all were recorded.
void record_eviction_totals(session::Writer&);

// "float32 (8, 16) tensor"
std::string describe_capture(const Tensor&);

}  // namespace footlight::trace
