// Names of the timeline's tracks, the phases of tracing below the calls, the table of a range. The bars of the
// tracks come from the store (engine/query/timeline.h).
#pragma once

#include "app/models/document.h"

#include "engine/query/timeline.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace footlight::app {

struct TrackTitle {
  QString title, subtitle;
};
TrackTitle title_of(const Document& document, const query::TrackKey& track);

// A phase of making a trace: AutoGraph, Python, optimizer, compiler.
struct Phase {
  int64_t start = 0, end = 0;
  TraceId trace;
  int number = 0;
};
QString phase_name(const Phase& phase);
const char* phase_tone(const Phase& phase);
// The phases of all traces, in lanes without overlaps, each sorted by start.
std::vector<std::vector<Phase>> phase_lanes(const Document& document);

// The time range of everything recorded: calls, op events, traces and device events.
struct TimeRange {
  int64_t first = 0, last = 1;
};
TimeRange time_range(const Document& document);

// The table of a range.
struct OpStatistics {
  session::OpNumber op;
  QString name;
  std::string family;
  uint64_t count = 0;
  int64_t total = 0, self = 0, median = 0, p95 = 0;
  uint64_t bytes = 0, flops = 0;  // totals; bytes in and out
};
struct RangeStatistics {
  std::vector<OpStatistics> rows;  // by total time, descending
  uint64_t calls = 0, events = 0;
  double busy = 0;                 // share of the range during which an op ran on any thread
};
// Runs on the store's thread; names and families are filled in on the document's.
RangeStatistics range_statistics(const query::Store& store, int64_t from, int64_t to, const query::Cancel& cancel);
void name_rows(const Document& document, RangeStatistics& statistics);

// Step of the time axis: 1, 2 or 5 times a power of ten, at least `least` ns.
int64_t nice_step(double least);

}  // namespace footlight::app
