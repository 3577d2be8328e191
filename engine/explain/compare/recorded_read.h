// What the parts of a recorded side are read with: chunks within a window, and the stretches that an interval overlaps.
#pragma once

#include "engine/explain/compare/recorded.h"
#include "engine/session/readable_chunks.h"
#include "engine/session/run_times.h"

#include <algorithm>

namespace footlight::explain {

inline bool is_sane(int64_t start, int64_t end) { return start > 0 && end >= start && end < session::kLatestTime; }

inline session::ThreadId known(session::ThreadId thread) { return thread.valid() ? thread : session::ThreadId(0); }

// Adds an interval to each stretch that it overlaps; those do not overlap each other.
template <class Stretches, class Add>
void each_overlapped(Stretches& all, session::ThreadId thread, int64_t start, int64_t end, Add&& add) {
  const auto of_thread = all.find(known(thread));
  if (of_thread == all.end()) return;
  auto& list = of_thread->second;
  for (auto at = std::ranges::upper_bound(list, start, {}, [](const auto& s) { return s.span.end; });
       at != list.end() && at->span.start < end; ++at)
    add(*at);
}

}  // namespace footlight::explain
