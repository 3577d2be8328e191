// What the time of the calls that traced went into, as spans without gaps: before the trace, the trace with its phases
// where they happened, the run after it. Each span lies under its parent, and a parent's children fill it.
#pragma once

#include "engine/query/cancel.h"
#include "engine/session/reader.h"

#include <vector>

namespace footlight::query {

class Store;

// kMachineCode: a call that was served by a trace made machine code for its ops, once. kCompared: after a call, Compare
// repeated it.
enum class TracePart : uint8_t { kBefore, kTrace, kPhase, kOther, kAfter, kMachineCode, kCompared };

struct TraceSpan {
  int64_t start = 0, end = 0;
  TraceId trace;
  CallId call;                  // none: no recorded call made the trace
  session::ThreadId thread;
  TracePart part = TracePart::kTrace;
  uint16_t phase = UINT16_MAX;  // kPhase: its place among the trace's
  uint8_t depth = 0;            // 0: before, trace, after; 1: phases; deeper: phases inside those
};

// Of one call, or of a trace that no recorded call made; `traces` are those that it made, by start. Parents come before
// their children; the spans of depth 0 fill the call, those below them fill the one that they lie in if it has phases.
std::vector<TraceSpan> spans_of(const std::vector<const session::TraceRecord*>& traces,
                                const session::CallRecord* call);

// Of all traces, those of one call together, by thread and start; behind them the making of machine code
// and the repetitions of comparisons.
std::vector<TraceSpan> all_trace_spans(const Store& store, const Cancel& cancel);

}  // namespace footlight::query
