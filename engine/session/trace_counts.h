// How many traces there are: those that failed are counted apart, in every view and report.
#pragma once

#include "engine/session/records.h"

#include <span>

namespace footlight::session {

struct TraceCounts {
  size_t traces = 0, failed = 0;

  void add(const TraceRecord& trace) { ++(trace.error.empty() ? traces : failed); }
};

inline TraceCounts counts_of(std::span<const TraceRecord> all) {
  TraceCounts counts;
  for (const TraceRecord& t : all) counts.add(t);
  return counts;
}

inline TraceCounts counts_of(std::span<const TraceRecord* const> all) {
  TraceCounts counts;
  for (const TraceRecord* t : all) counts.add(*t);
  return counts;
}

}  // namespace footlight::session
