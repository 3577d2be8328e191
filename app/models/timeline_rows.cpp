// Counts what lies around each call and each phase.
#include "app/models/timeline_rows.h"

#include "engine/base/errors.h"

#include <algorithm>
#include <unordered_map>

namespace footlight::app {
namespace {

constexpr size_t kMaxRows = 24;  // deeper phases are not drawn

// The span of a row that begins at or before `time`, or null.
const query::TraceSpan* last_before(const std::vector<query::TraceSpan>& row, int64_t time) {
  const auto after = std::upper_bound(row.begin(), row.end(), time,
                                      [](int64_t t, const query::TraceSpan& s) { return t < s.start; });
  return after == row.begin() ? nullptr : &*(after - 1);
}

// How many calls lie around a stretch of time in which no call is known: Compare's repetitions, machine code.
size_t calls_around(const query::Store& store, const query::TrackKey& track, const query::TraceSpan& span,
                    const query::Cancel& cancel) {
  size_t calls = 0;
  for (int lane = 0; lane < query::kLanes; ++lane) {
    const auto call = query::nearest(store, track, lane, span.start + (span.end - span.start) / 2, 0, cancel);
    if (!call || call->bar.start > span.start || call->bar.end < span.end) break;
    ++calls;
  }
  return calls;
}

// The deepest row that a call of the track has.
size_t deepest_call(const query::Store& store, const query::Track& track, const PhaseRows& phases,
                    const query::Cancel& cancel) {
  size_t deepest = static_cast<size_t>(std::max(1, track.lanes())) - 1;
  const auto look_at = [&](int lane, int64_t start, int64_t end) {
    deepest = std::max(deepest, row_of_call(phases, static_cast<size_t>(lane), start, end));
  };
  const auto meets_phase = [&](int64_t start, int64_t end) {
    return std::any_of(phases.begin(), phases.end(), [&](const std::vector<query::TraceSpan>& row) {
      const query::TraceSpan* span = last_before(row, end);
      return span && span->end > start;
    });
  };
  for (const query::Track::Across& a : track.across()) look_at(a.lane, a.span.start, a.span.end);
  for (const query::Track::Part& part : track.parts()) {
    // Outermost calls lie in no phase of another one, mostly.
    const query::Group* groups = track.groups().data() + part.first_group;
    const bool may_lie_inside = std::any_of(groups, groups + part.groups, [&](const query::Group& g) {
      return track.lane(g.lane, g.start, g.end) > 0 && meets_phase(g.start, g.end);
    });
    if (!may_lie_inside) continue;
    cancel.check();
    const auto lanes = store.lanes_of(track, part.chunk);
    for (size_t lane = 0; lane < lanes->size(); ++lane)
      for (const query::Span& s : (*lanes)[lane])
        look_at(track.lane(static_cast<int>(lane), s.start, s.end), s.start, s.end);
  }
  return deepest;
}

}  // namespace

PhaseRows phase_rows(std::vector<PlacedSpan> spans) {
  std::stable_sort(spans.begin(), spans.end(), [](const PlacedSpan& a, const PlacedSpan& b) {
    const query::TraceSpan &x = a.span, &y = b.span;
    return x.start != y.start ? x.start < y.start : x.end != y.end ? x.end > y.end : x.depth < y.depth;
  });
  PhaseRows rows;
  std::vector<int64_t> open;  // ends of the phases around this one
  for (const PlacedSpan& placed : spans) {
    while (!open.empty() && open.back() <= placed.span.start) open.pop_back();
    const size_t row = placed.calls + open.size();
    if (row >= kMaxRows) continue;
    open.push_back(placed.span.end);
    if (rows.size() <= row) rows.resize(row + 1);
    rows[row].push_back(placed.span);
  }
  return rows;
}

size_t row_of_call(const PhaseRows& phases, size_t lane, int64_t start, int64_t end) {
  size_t row = lane;
  for (const std::vector<query::TraceSpan>& spans : phases) {
    const query::TraceSpan* span = last_before(spans, start);
    // A call's only phase may be as long as the call.
    if (span && span->end >= end && (span->start < start || span->end > end)) ++row;
  }
  return row;
}

size_t row_of_column(const PhaseRows& phases, size_t lane, double start, double end) {
  constexpr double kColumns = 3;
  size_t row = lane;
  const double middle = (start + end) / 2;
  for (const std::vector<query::TraceSpan>& spans : phases) {
    const query::TraceSpan* span = last_before(spans, static_cast<int64_t>(middle));
    if (!span || static_cast<double>(span->end) < middle) continue;
    if (static_cast<double>(span->end - span->start) >= kColumns * (end - start)) ++row;
  }
  return row;
}

CallRows call_rows(const query::Store& store, const query::TrackKey& key, const std::vector<query::TraceSpan>& spans,
                   const query::Cancel& cancel) {
  std::unordered_map<uint64_t, uint64_t> rows;  // rows of calls that traced
  for (const auto& [row, call] : store.calls().traced()) rows.emplace(call.id.value, row);
  std::unordered_map<uint64_t, size_t> known;   // for each call, how many calls are around its phases, including itself
  const auto calls_of = [&](const query::TraceSpan& span) {
    if (!span.call.valid()) return calls_around(store, key, span, cancel);
    const auto [it, added] = known.try_emplace(span.call.value, 1);
    const auto row = rows.find(span.call.value);
    if (!added || row == rows.end()) return it->second;
    if (const auto call = query::place(store, query::TrackKind::kCalls, row->second))
      it->second = static_cast<size_t>(call->lane) + 1;
    return it->second;
  };
  std::vector<PlacedSpan> placed;
  CallRows made;
  try {
    for (const query::TraceSpan& span : spans) placed.push_back({span, calls_of(span)});
    made.phases = phase_rows(std::move(placed));
    const query::Track* track = store.track(key);
    made.rows = std::max(made.phases.size(), track ? deepest_call(store, *track, made.phases, cancel) + 1 : 0);
  } catch (const Error&) {
    made.rows = std::max(made.rows, made.phases.size());  // what could not be read is said of the whole recording
  }
  return made;
}

}  // namespace footlight::app
