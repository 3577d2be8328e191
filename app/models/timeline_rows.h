// Rows of a thread's calls on the timeline: a call or a phase lies one row below what it happened in. A call that is
// made while another one traces lies inside the phase that made it, and its own phases lie inside the call.
#pragma once

#include "engine/query/timeline.h"
#include "engine/query/trace_spans.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace footlight::app {

// Phases by row of their track, each row by start and without overlaps. Row 0 belongs to the outermost calls.
using PhaseRows = std::vector<std::vector<query::TraceSpan>>;

// A phase with the number of calls that it lies in.
struct PlacedSpan {
  query::TraceSpan span;
  size_t calls = 0;
};
PhaseRows phase_rows(std::vector<PlacedSpan> spans);

// The row of a call with `lane` calls around it.
size_t row_of_call(const PhaseRows& phases, size_t lane, int64_t start, int64_t end);
// The row of calls that are too short to be drawn one by one, in a column of pixels: only phases that are several
// columns long lie around it.
size_t row_of_column(const PhaseRows& phases, size_t lane, double start, double end);

// Phases and calls of one thread, as they are drawn.
struct CallRows {
  PhaseRows phases;
  size_t rows = 0;  // rows for calls and phases
};
CallRows call_rows(const query::Store& store, const query::TrackKey& track,
                   const std::vector<query::TraceSpan>& spans, const query::Cancel& cancel);

}  // namespace footlight::app
