// How many traces there are: those that failed are counted apart, as in reports.
#pragma once

#include "app/models/text.h"

#include "engine/session/records.h"

namespace footlight::app {

struct TraceCounts {
  size_t traces = 0, failed = 0;

  void add(const session::TraceRecord& trace) { ++(trace.error.empty() ? traces : failed); }
};

inline TraceCounts counts_of(const std::vector<session::TraceRecord>& all) {
  TraceCounts counts;
  for (const session::TraceRecord& t : all) counts.add(t);
  return counts;
}

inline TraceCounts counts_of(const std::vector<const session::TraceRecord*>& all) {
  TraceCounts counts;
  for (const session::TraceRecord* t : all) counts.add(*t);
  return counts;
}

// "12 traces", "12 traces, 1 failed", "1 failed trace".
inline QString counted_traces(const TraceCounts& counts) {
  if (!counts.traces && counts.failed) return counted(counts.failed, "failed trace", "failed traces");
  const QString text = counted(counts.traces, "trace", "traces");
  return counts.failed ? text + QStringLiteral(", ") + count_text(counts.failed) + QStringLiteral(" failed") : text;
}

}  // namespace footlight::app
