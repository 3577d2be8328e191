// Which thread made a trace, and which trace was being made around it there.
#pragma once

#include "engine/session/records/trace.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace footlight::session {

// The thread that traced; not valid: the recording does not say.
inline ThreadId thread_of(const TraceRecord& trace) {
  return trace.phases.empty() ? ThreadId() : trace.phases.front().thread;
}

// Calls visit(trace, outer) for the traces by their start; `outer`: the innermost one around it on its thread, or null.
template <class ThreadOf, class Visit>
void visit_nested(std::vector<const TraceRecord*> traces, ThreadOf&& thread_of, Visit&& visit) {
  std::ranges::stable_sort(traces, [](const auto* a, const auto* b) {
    return std::pair(a->start_ns, b->end_ns) < std::pair(b->start_ns, a->end_ns);
  });
  std::map<ThreadId, std::vector<const TraceRecord*>> by_thread;
  for (const TraceRecord* trace : traces) {
    auto& open = by_thread[thread_of(*trace)];
    while (!open.empty() && open.back()->end_ns < trace->end_ns) open.pop_back();
    visit(*trace, open.empty() ? nullptr : open.back());
    open.push_back(trace);
  }
}

}  // namespace footlight::session
