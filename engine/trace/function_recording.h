// What a session gets to know of traced functions, their traces and calls. Their graphs and keys: graph_record.h,
// key_record.h.
#pragma once

#include "engine/trace/function.h"

namespace footlight::session {
class Writer;
}

namespace footlight::trace {

struct TraceTimes {
  int64_t start = 0;   // when it began
  int64_t body = 0;    // how long the body ran
};

// All of these do nothing while nothing is recorded, but for the number that a function gets.
void record_function(Function&);
// `error`: tracing failed, and why.
void record_trace(Function&, Trace&, const explain::Key&, session::TraceReason, const TraceTimes&,
                  const std::string& error);
// `asked`: the key of a call that the dispatcher answered.
void record_call_of(Function&, const CallRun&, TraceId, CallOutcome, std::span<const uint64_t> asked);
// A trace is let go: because an object in `key` died, or (no key) because there are more than `most` traces.
void record_eviction(Function&, const Trace&, const explain::Key* key, uint64_t object, size_t most);

// At the end of a recording: how many were evicted in all, where not each was recorded.
void record_eviction_totals(session::Writer&);

// "float32 (8, 16) tensor"
std::string describe_capture(const Tensor&);

}  // namespace footlight::trace
