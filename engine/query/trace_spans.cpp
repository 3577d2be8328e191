// Finds the call of each trace, and fills what no phase covers.
#include "engine/query/trace_spans.h"

#include "engine/query/store.h"
#include "engine/session/readable_chunks.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace footlight::query {
namespace {

// The phases of one trace as spans below `whole`.
class Filler {
 public:
  Filler(const session::TraceRecord& trace, const TraceSpan& whole, std::vector<TraceSpan>& out)
      : trace_(trace), whole_(whole), out_(out), children_(trace.phases.size()) {
    for (size_t i = 0; i < trace.phases.size(); ++i) {
      const int32_t parent = trace.phases[i].parent;
      // A parent comes before its children, so the phases cannot form a cycle.
      const bool inside = parent >= 0 && static_cast<size_t>(parent) < i;
      (inside ? children_[static_cast<size_t>(parent)] : roots_).push_back(i);
    }
    if (!roots_.empty()) fill(roots_, whole.start, whole.end, 1);
  }

 private:
  static constexpr int kDeepest = 32;

  // Spans are sorted by start and do not overlap. Time of a trace between its phases becomes a span, too; time of a
  // phase between its children belongs to that phase.
  void fill(std::vector<size_t>& phases, int64_t from, int64_t to, int depth) {
    std::stable_sort(phases.begin(), phases.end(),
                     [&](size_t a, size_t b) { return trace_.phases[a].start_ns < trace_.phases[b].start_ns; });
    int64_t at = from;
    for (const size_t i : phases) {
      const session::PhaseRecord& phase = trace_.phases[i];
      const int64_t start = std::clamp(phase.start_ns, at, to), end = std::clamp(phase.end_ns, start, to);
      if (end == start) continue;
      if (depth == 1 && start > at) add(at, start, TracePart::kOther, UINT16_MAX, depth);
      add(start, end, TracePart::kPhase, static_cast<uint16_t>(std::min<size_t>(i, UINT16_MAX - 1)), depth);
      if (depth < kDeepest) fill(children_[i], start, end, depth + 1);
      at = end;
    }
    if (depth == 1 && at > from && at < to) add(at, to, TracePart::kOther, UINT16_MAX, depth);
  }
  void add(int64_t start, int64_t end, TracePart part, uint16_t phase, int depth) {
    TraceSpan span = whole_;
    span.start = start, span.end = end;
    span.part = part;
    span.phase = phase;
    span.depth = static_cast<uint8_t>(depth);
    out_.push_back(span);
  }

  const session::TraceRecord& trace_;
  const TraceSpan whole_;
  std::vector<TraceSpan>& out_;
  std::vector<size_t> roots_;
  std::vector<std::vector<size_t>> children_;
};

void add_machine_code(const Store& store, const Cancel& cancel, std::vector<TraceSpan>& all) {
  each_record(store.reader().spans(), [&] { cancel.check(); }, [&](const session::SpanRecord& s) {
    if (s.category != session::SpanRecord::kMachineCode || s.end_ns < s.start_ns) return;
    TraceSpan made;
    made.start = s.start_ns, made.end = s.end_ns;
    made.part = TracePart::kMachineCode;
    if (const session::TrackRecord* track = store.reader().track(s.track)) made.thread = track->thread;
    all.push_back(made);
  });
}

void add_comparisons(const Store& store, std::vector<TraceSpan>& all) {
  for (const session::ComparisonRecord& c : store.reader().contents().comparisons) {
    const session::TraceRecord* trace = store.reader().trace(c.trace);
    if (!trace || c.start_ns <= 0 || c.end_ns < c.start_ns) continue;
    TraceSpan made;
    made.start = c.start_ns, made.end = c.end_ns;
    made.part = TracePart::kCompared;
    made.trace = c.trace;
    if (!trace->phases.empty()) made.thread = trace->phases.front().thread;
    all.push_back(made);
  }
}

}  // namespace

std::vector<TraceSpan> spans_of(const std::vector<const session::TraceRecord*>& traces,
                                const session::CallRecord* call) {
  std::vector<TraceSpan> out;
  if (traces.empty()) return out;
  TraceSpan span;
  span.trace = traces.back()->id;
  if (call) {
    span.call = call->id;
    span.thread = call->thread;
  } else if (!traces.front()->phases.empty()) {
    span.thread = traces.front()->phases.front().thread;
  }
  const int64_t from = call ? call->start_ns : INT64_MIN, to = call ? std::max(from, call->end_ns) : INT64_MAX;
  const auto add = [&](int64_t start, int64_t end, TracePart part) {
    if (end <= start) return;
    span.start = start, span.end = end;
    span.part = part;
    out.push_back(span);
  };
  int64_t at = from;
  for (const session::TraceRecord* trace : traces) {
    const int64_t start = std::clamp(trace->start_ns, at, to), end = std::clamp(trace->end_ns, start, to);
    span.trace = trace->id;
    if (call) add(at, start, at == from ? TracePart::kBefore : TracePart::kOther);
    add(start, end, TracePart::kTrace);
    if (end > start) Filler(*trace, TraceSpan(span), out);
    at = end;
  }
  if (call) add(at, to, TracePart::kAfter);
  return out;
}

std::vector<TraceSpan> all_trace_spans(const Store& store, const Cancel& cancel) {
  const std::vector<session::TraceRecord>& traces = store.reader().contents().traces;
  std::unordered_map<TraceId, const session::CallRecord*> calls;
  for (const auto& [row, call] : store.calls().traced()) calls.try_emplace(call.trace, &call);
  // A first trace that creates variables is followed by the one that serves the call.
  std::map<std::pair<FunctionId, int>, const session::TraceRecord*> by_number;
  for (const session::TraceRecord& t : traces) by_number[{t.function, t.number}] = &t;
  std::map<std::tuple<session::ThreadId, int64_t, uint64_t>, std::vector<const session::TraceRecord*>> groups;
  std::unordered_map<uint64_t, const session::CallRecord*> call_of;
  cancel.check();
  for (const session::TraceRecord& t : traces) {
    auto call = calls.find(t.id);
    if (call == calls.end() && t.reason == session::TraceReason::kVariableCreation) {
      const auto next = by_number.find({t.function, t.number + 1});
      if (next != by_number.end()) call = calls.find(next->second->id);
    }
    const session::CallRecord* made_by = call == calls.end() ? nullptr : call->second;
    if (made_by && (t.start_ns < made_by->start_ns || t.end_ns > made_by->end_ns)) made_by = nullptr;
    const session::ThreadId thread = made_by            ? made_by->thread
                                     : t.phases.empty() ? session::ThreadId()
                                                        : t.phases.front().thread;
    const uint64_t group = made_by ? made_by->id.value : ~uint64_t{t.id.value};
    call_of[group] = made_by;
    groups[{thread, made_by ? made_by->start_ns : t.start_ns, group}].push_back(&t);
  }
  std::vector<TraceSpan> all;
  for (auto& [key, group] : groups) {
    std::stable_sort(group.begin(), group.end(),
                     [](const auto* a, const auto* b) { return a->start_ns < b->start_ns; });
    const std::vector<TraceSpan> spans = spans_of(group, call_of.at(std::get<2>(key)));
    all.insert(all.end(), spans.begin(), spans.end());
  }
  add_machine_code(store, cancel, all);
  add_comparisons(store, all);
  return all;
}

}  // namespace footlight::query
