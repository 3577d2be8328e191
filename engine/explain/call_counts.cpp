// Finds the traces whose graphs include an observed trace's graph, then collects the calls that each of them served.
#include "engine/explain/call_counts.h"

#include "engine/base/end_of_sequence.h"
#include "engine/explain/nesting.h"
#include "engine/session/readable_chunks.h"

#include <algorithm>
#include <set>

namespace footlight::explain {
namespace {

using session::CallRecord;
using session::ObservationKind;
using session::TraceRecord;
// Whether calls between two times are wanted.
using IsOfInterest = std::function<bool(int64_t from, int64_t to)>;
// Visits all calls that are wanted, and possibly others.
using EachCall = std::function<void(const IsOfInterest&, const std::function<void(const CallRecord&)>&)>;
// The thread and the start of a call that met the end of a dataset.
using CallAtEnd = std::pair<session::ThreadId, int64_t>;
using AtEnd = std::function<std::set<CallAtEnd>()>;

bool is_counted(ObservationKind kind) {
  return kind == ObservationKind::kStateChanged || kind == ObservationKind::kSideEffect ||
         kind == ObservationKind::kRandomRead || kind == ObservationKind::kTensorLeak;
}

// Finds the traces that were being made when a call began.
class TracesByTime {
 public:
  explicit TracesByTime(std::span<const TraceRecord> traces) {
    for (const TraceRecord& trace : traces) sorted_.push_back(&trace);
    std::ranges::sort(sorted_, {}, &TraceRecord::start_ns);
    int64_t last = INT64_MIN;
    for (const TraceRecord* trace : sorted_) latest_ends_.push_back(last = std::max(last, trace->end_ns));
  }

  bool any_between(int64_t from, int64_t to) const {
    const auto after = std::ranges::upper_bound(sorted_, to, {}, &TraceRecord::start_ns);
    return after != sorted_.begin() && latest_ends_[static_cast<size_t>(after - sorted_.begin()) - 1] > from;
  }

  // Calls `visit` with each trace that was being made when the call began, until it returns false.
  template <class F>
  void around(const CallRecord& call, F&& visit) const {
    const auto after = std::ranges::upper_bound(sorted_, call.start_ns, {}, &TraceRecord::start_ns);
    for (size_t i = static_cast<size_t>(after - sorted_.begin()); i-- > 0 && latest_ends_[i] > call.start_ns;)
      if (sorted_[i]->end_ns > call.start_ns && on_same_thread(call.thread, thread_of(*sorted_[i])) &&
          !visit(*sorted_[i]))
        return;
  }

 private:
  std::vector<const TraceRecord*> sorted_;  // by their start
  std::vector<int64_t> latest_ends_;        // for each trace, the latest end of it and those before it
};

ServedCalls collect(std::span<const TraceRecord> traces, std::span<const session::ObservationRecord> observations,
                    const EachCall& each_call, const AtEnd& calls_at_end) {
  ServedCalls served;
  std::set<TraceId> observed;
  for (const session::ObservationRecord& o : observations)
    if (is_counted(o.kind) && o.trace.valid()) observed.insert(o.trace);
  if (observed.empty()) return served;
  // For each trace, the traces that were being made when it was called: they include its graph.
  std::unordered_map<TraceId, std::set<TraceId>> callers;
  const TracesByTime by_time(traces);
  each_call(std::bind_front(&TracesByTime::any_between, &by_time), [&](const CallRecord& call) {
    by_time.around(call, [&](const TraceRecord& outer) {
      if (call.trace.valid() && outer.id != call.trace) callers[call.trace].insert(outer.id);
      return true;
    });
  });
  std::unordered_map<TraceId, const TraceRecord*> by_id;
  for (const TraceRecord& trace : traces) by_id[trace.id] = &trace;
  for (const TraceId trace : observed) {
    std::vector<TraceId>& all = served.run_by[trace];
    std::set<TraceId> known{trace};
    std::vector<TraceId> next{trace};
    while (!next.empty()) {
      const TraceId one = next.back();
      next.pop_back();
      served.starts.try_emplace(one);
      if (one != trace) all.push_back(one);
      const auto inner = by_id.find(one);
      for (const TraceRecord& outer : traces) {
        const bool calls_it = (callers.contains(one) && callers[one].contains(outer.id)) ||
                              (inner != by_id.end() && was_made_inside(*inner->second, outer));
        if (calls_it && known.insert(outer.id).second) next.push_back(outer.id);
      }
    }
  }
  const std::set<CallAtEnd> at_end = calls_at_end();
  each_call([](int64_t, int64_t) { return true; }, [&](const CallRecord& call) {
    // An error ended the graph before it was done, and so did the end of a dataset.
    if (call.outcome == CallOutcome::kFailed || at_end.contains({call.thread, call.start_ns})) return;
    const auto at = served.starts.find(call.trace);
    if (at == served.starts.end()) return;
    bool is_traced = false;
    by_time.around(call, [&](const TraceRecord&) { return !(is_traced = true); });
    if (!is_traced) at->second.push_back(call.start_ns);
  });
  for (auto& [trace, starts] : served.starts) std::ranges::sort(starts);
  return served;
}

std::set<CallAtEnd> calls_at_end(const session::Reader& reader, const std::function<void()>& go_on) {
  std::set<CallAtEnd> found;
  each_record(reader.spans(), go_on, [&](const session::SpanRecord& span) {
    if (const auto* track = span.category == kEndOfData ? reader.track(span.track) : nullptr)
      found.emplace(track->thread, span.start_ns);
  });
  return found;
}

}  // namespace

ServedCalls served_calls(const RunRecords& records) {
  return collect(records.traces, records.observations,
                 [&](const IsOfInterest&, const auto& visit) { std::ranges::for_each(records.calls, visit); },
                 [] { return std::set<CallAtEnd>(); });
}

ServedCalls served_calls(const session::Reader& reader, const std::function<void()>& go_on) {
  const session::Contents& contents = reader.contents();
  const auto each_call = [&](const IsOfInterest& is_of_interest, const auto& visit) {
    each_chunk_where(reader.calls(), is_of_interest, go_on,
                     [&](const std::vector<CallRecord>& calls) { std::ranges::for_each(calls, visit); });
  };
  return collect(contents.traces, contents.observations, each_call, [&] { return calls_at_end(reader, go_on); });
}

}  // namespace footlight::explain
