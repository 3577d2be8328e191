// How long a run took, by both of its definitions, which every view and command names like this.
#pragma once

#include "engine/session/records.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace footlight::session {

// No clock says later times, so that sums of times of a damaged file do not overflow.
constexpr int64_t kLatestTime = int64_t{1} << 61;
constexpr bool is_possible_time(int64_t ns) { return ns >= 0 && ns <= kLatestTime; }

struct RunTimes {
  int64_t run_ns = 0;     // "run": from the start of the script, imports included, to its end
  int64_t events_ns = 0;  // "events": from the first recorded event to the last; Reader::events_ns()
};

// RunTimes::run_ns. `first`, `last`: of anything recorded, 0 if nothing was.
inline int64_t run_time(const session::RunRecord& run, const std::optional<session::EndRecord>& end, int64_t first,
                        int64_t last) {
  const int64_t from = run.started_ns > 0 ? run.started_ns : first;
  const int64_t to = end && end->time_ns > 0 ? end->time_ns : last;
  return std::max<int64_t>(0, to - from);
}

using TimeSpan = std::pair<int64_t, int64_t>;  // from, to

// The same moments in order, without overlaps.
inline std::vector<TimeSpan> joined(std::vector<TimeSpan> spans) {
  std::sort(spans.begin(), spans.end());
  std::vector<TimeSpan> made;
  for (const TimeSpan& span : spans) {
    if (span.second <= span.first) continue;
    if (made.empty() || span.first > made.back().second) made.push_back(span);
    else made.back().second = std::max(made.back().second, span.second);
  }
  return made;
}

// How long they last together; what several cover counts once.
inline int64_t covered_time(std::vector<TimeSpan> spans) {
  int64_t sum = 0;
  for (const auto& [from, to] : joined(std::move(spans))) sum += to - from;
  return sum;
}

// How long at least one of these traces was being made: a trace inside another one, or beside one on another thread,
// counts once. Traces that failed took their time too.
inline int64_t tracing_time(std::span<const session::TraceRecord> traces) {
  std::vector<TimeSpan> spans;
  for (const session::TraceRecord& t : traces) spans.emplace_back(t.start_ns, t.end_ns);
  return covered_time(std::move(spans));
}
inline int64_t tracing_time(std::span<const session::TraceRecord* const> traces) {
  std::vector<TimeSpan> spans;
  for (const session::TraceRecord* t : traces) spans.emplace_back(t->start_ns, t->end_ns);
  return covered_time(std::move(spans));
}

}  // namespace footlight::session
