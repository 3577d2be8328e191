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

// How long at least one function was being traced: a trace inside another one, or beside one on another thread, counts
// once. Traces that failed took their time too.
inline int64_t tracing_time(std::span<const session::TraceRecord> traces) {
  std::vector<std::pair<int64_t, int64_t>> spans;
  for (const session::TraceRecord& t : traces)
    if (t.end_ns > t.start_ns) spans.emplace_back(t.start_ns, t.end_ns);
  std::sort(spans.begin(), spans.end());
  int64_t sum = 0, until = INT64_MIN;
  for (const auto& [from, to] : spans) {
    if (to <= until) continue;
    sum += to - std::max(from, until);
    until = to;
  }
  return sum;
}

}  // namespace footlight::session
