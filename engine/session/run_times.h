// How long a run took, by both of its definitions, which every view and command names like this.
#pragma once

#include "engine/session/records.h"

#include <algorithm>
#include <optional>

namespace footlight::session {

struct RunTimes {
  int64_t run_ns = 0;     // "run": from the start of the script, imports included, to its end
  int64_t events_ns = 0;  // "events": from the first recorded event to the last
};

// `first`, `last`: of anything recorded, 0 if nothing was.
inline RunTimes run_times(const session::RunRecord& run, const std::optional<session::EndRecord>& end, int64_t first,
                          int64_t last) {
  const int64_t from = run.started_ns > 0 ? run.started_ns : first;
  const int64_t to = end && end->time_ns > 0 ? end->time_ns : last;
  return {std::max<int64_t>(0, to - from), std::max<int64_t>(0, last - first)};
}

}  // namespace footlight::session
