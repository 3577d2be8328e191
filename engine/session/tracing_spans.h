// When each thread was tracing. An op that runs there outside of a graph was evaluated for the graph: it is not eager.
#pragma once

#include "engine/session/records.h"
#include "engine/session/run_times.h"
#include "engine/session/trace_nesting.h"

#include <algorithm>
#include <map>
#include <span>
#include <vector>

namespace footlight::session {

class TracingSpans {
 public:
  TracingSpans() = default;
  explicit TracingSpans(std::span<const TraceRecord> traces) {
    for (const TraceRecord& t : traces)
      if (const ThreadId thread = thread_of(t); thread.valid()) of_[thread].emplace_back(t.start_ns, t.end_ns);
    for (auto& [thread, spans] : of_) spans = joined(std::move(spans));
  }

  bool contain(ThreadId thread, int64_t time) const {
    const auto spans = of_.find(thread);
    if (spans == of_.end()) return false;
    const auto after = std::ranges::upper_bound(spans->second, time, {}, &TimeSpan::first);
    return after != spans->second.begin() && time < std::prev(after)->second;
  }

 private:
  std::map<ThreadId, std::vector<TimeSpan>> of_;
};

}  // namespace footlight::session
