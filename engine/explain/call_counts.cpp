// Collects when each trace served a call, as far as findings about wrong results ask for it.
#include "engine/explain/call_counts.h"

#include "engine/base/errors.h"
#include "engine/explain/nesting.h"

#include <algorithm>
#include <set>

namespace footlight::explain {
namespace {

using session::ObservationKind;
using session::TraceRecord;

bool is_counted(ObservationKind kind) {
  return kind == ObservationKind::kStateChanged || kind == ObservationKind::kSideEffect ||
         kind == ObservationKind::kRandomRead || kind == ObservationKind::kTensorLeak;
}

}  // namespace

std::unordered_map<TraceId, std::vector<int64_t>> starts_of_served_calls(const session::Reader& reader,
                                                                         const std::function<void()>& go_on) {
  const session::Contents& contents = reader.contents();
  std::unordered_map<TraceId, const TraceRecord*> traces;
  for (const TraceRecord& trace : contents.traces) traces[trace.id] = &trace;
  std::unordered_map<TraceId, std::vector<int64_t>> starts;
  std::set<TraceId> observed;
  for (const session::ObservationRecord& o : contents.observations) {
    const auto at = is_counted(o.kind) ? traces.find(o.trace) : traces.end();
    if (at == traces.end() || !observed.insert(o.trace).second) continue;
    go_on();
    starts.try_emplace(o.trace);
    // Calls of a function in whose trace it was traced run it too.
    for (const TraceRecord& outer : contents.traces)
      if (was_made_inside(*at->second, outer)) starts.try_emplace(outer.id);
  }
  if (starts.empty()) return starts;
  for (size_t i = 0; i < reader.calls().index().size(); ++i) {
    go_on();
    try {
      for (const session::CallRecord& call : *reader.calls().chunk(i)) {
        const auto at = starts.find(call.trace);
        if (at != starts.end() && call.start_ns >= traces.at(call.trace)->end_ns) at->second.push_back(call.start_ns);
      }
    } catch (const Error&) {
      // a damaged chunk: its calls are missing from the counts
    }
  }
  for (auto& [trace, times] : starts) std::ranges::sort(times);
  return starts;
}

}  // namespace footlight::explain
