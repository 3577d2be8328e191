// Traces and calls for recordings that tests put together.
#pragma once

#include "engine/session/records.h"

namespace footlight {

inline session::TraceRecord trace_of(TraceId id, FunctionId function, int number, int64_t start_ns = 0,
                                     int64_t end_ns = 0) {
  session::TraceRecord trace;
  trace.id = id;
  trace.function = function;
  trace.number = number;
  trace.start_ns = start_ns;
  trace.end_ns = end_ns;
  return trace;
}

inline session::CallRecord call_of(CallId id, FunctionId function, TraceId trace, CallOutcome outcome,
                                   int64_t start_ns = 0, int64_t end_ns = 0) {
  session::CallRecord call;
  call.id = id;
  call.function = function;
  call.trace = trace;
  call.outcome = outcome;
  call.start_ns = start_ns;
  call.end_ns = end_ns;
  return call;
}

}  // namespace footlight
