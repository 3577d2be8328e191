// Which traces were made inside others: calls of the outer function run the graph of the inner one too.
#pragma once

#include "engine/session/trace_nesting.h"

namespace footlight::explain {

// Two threads may trace at the same time: what one makes is no part of what the other makes.
inline bool on_same_thread(session::ThreadId one, session::ThreadId other) {
  return one == other || !one.valid() || !other.valid();
}
inline bool on_same_thread(const session::TraceRecord& a, const session::TraceRecord& b) {
  return on_same_thread(thread_of(a), thread_of(b));
}

inline bool was_made_inside(const session::TraceRecord& inner, const session::TraceRecord& outer) {
  return outer.start_ns <= inner.start_ns && inner.end_ns <= outer.end_ns && on_same_thread(inner, outer);
}

}  // namespace footlight::explain
