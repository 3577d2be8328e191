// Divides the time of calls that traced into spans without gaps: before the trace, the trace with its phases, the run
// after it. Each span lies within its parent, and a parent's children fill it.
#pragma once

#include "engine/query/cancel.h"
#include "engine/session/reader.h"

#include <vector>

namespace footlight::query {

class Store;

// kMachineCode: a call of an existing trace compiled fused loops, once. kCompared: after a call, Compare repeated it.
enum class TracePart : uint8_t { kBefore, kTrace, kPhase, kOther, kAfter, kMachineCode, kCompared };

struct TraceSpan {
  int64_t start = 0, end = 0;
  TraceId trace;
  CallId call;                  // none: no recorded call traced it
  session::ThreadId thread;
  TracePart part = TracePart::kTrace;
  uint16_t phase = UINT16_MAX;  // kPhase: its place among the trace's
  uint8_t depth = 0;            // 0: before, trace, after; 1: phases; deeper: phases inside those
};

// Spans of one call, or of a trace that no recorded call made; `traces` are those that it made, by start. Parents come
// before their children; spans of depth 0 fill the call, deeper ones fill their parent if it has phases.
std::vector<TraceSpan> spans_of(const std::vector<const session::TraceRecord*>& traces,
                                const session::CallRecord* call);

// Spans of all traces, grouped by call, sorted by thread and start; then those of compiling fused loops and of the
// repetitions of comparisons.
std::vector<TraceSpan> all_trace_spans(const Store& store, const Cancel& cancel);

}  // namespace footlight::query
