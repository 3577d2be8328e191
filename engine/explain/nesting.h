// Which traces were made inside others: calls of the outer function run the graph of the inner one too.
#pragma once

#include "engine/session/records/trace.h"

namespace footlight::explain {

// The thread that traced; not valid: the recording does not say.
inline session::ThreadId thread_of(const session::TraceRecord& trace) {
  return trace.phases.empty() ? session::ThreadId() : trace.phases.front().thread;
}

// Two threads may trace at the same time: what one makes is no part of what the other makes.
inline bool on_same_thread(const session::TraceRecord& a, const session::TraceRecord& b) {
  const session::ThreadId one = thread_of(a), other = thread_of(b);
  return one == other || !one.valid() || !other.valid();
}

inline bool was_made_inside(const session::TraceRecord& inner, const session::TraceRecord& outer) {
  return outer.start_ns <= inner.start_ns && inner.end_ns <= outer.end_ns && on_same_thread(inner, outer);
}

}  // namespace footlight::explain
