// Lanes and their pyramids, the tracks of a session, the statistics of a range.
#include "app/models/timeline.h"

#include "app/models/text.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace footlight::app {
namespace {

constexpr size_t kLanes = 6;  // deeper nesting is drawn into the last one

// Spans in order of start, the outer one first: each goes to the first lane in which nothing is still running.
std::vector<Lane> stack(std::vector<Span> spans) {
  std::vector<std::vector<Span>> rows(1);
  std::vector<int64_t> free_at(1, INT64_MIN);
  for (const Span& span : spans) {
    size_t row = 0;
    while (row < rows.size() && free_at[row] > span.start) ++row;
    if (row == rows.size()) {
      if (rows.size() < kLanes) {
        rows.emplace_back();
        free_at.push_back(INT64_MIN);
      } else {
        row = rows.size() - 1;
      }
    }
    rows[row].push_back(span);
    free_at[row] = std::max(free_at[row], span.end);
  }
  std::vector<Lane> lanes(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) lanes[i].assign(std::move(rows[i]));
  return lanes;
}

struct Paints {
  std::vector<QString>& names;
  uint16_t of(const QString& name) {
    const auto it = std::find(names.begin(), names.end(), name);
    if (it != names.end()) return static_cast<uint16_t>(it - names.begin());
    names.push_back(name);
    return static_cast<uint16_t>(names.size() - 1);
  }
};

void add_phases(const session::TraceRecord& t, uint32_t call, Paints& paints, std::vector<Span>& out) {
  int64_t at = t.start_ns;
  const std::pair<int64_t, const char*> phases[] = {
      {t.autograph_ns, "amber"}, {t.python_ns, "grey"}, {t.optimize_ns, "pink"}, {t.compile_ns, "pink"}};
  uint16_t number = 0;
  for (const auto& [ns, colour] : phases) {
    if (ns > 0) {
      const uint16_t flags = static_cast<uint16_t>(kSpanPhase | (number << 8));
      out.push_back({at, at + ns, call, paints.of(QLatin1String(colour)), flags});
      at += ns;
    }
    ++number;
  }
}

}  // namespace

void Lane::assign(std::vector<Span> spans) {
  spans_ = std::move(spans);
  levels_.clear();
  if (spans_.empty()) return;
  std::vector<SpanGroup> first((spans_.size() + 7) >> kFirstLevel);
  for (size_t g = 0; g < first.size(); ++g) {
    SpanGroup& made = first[g];
    const size_t from = g << kFirstLevel, to = std::min(spans_.size(), from + 8);
    made.start = spans_[from].start;
    int64_t longest = -1;
    for (size_t i = from; i < to; ++i) {
      const int64_t length = spans_[i].end - spans_[i].start;
      made.end = std::max(made.end, spans_[i].end);
      made.busy += length;
      ++made.count;
      if (length > longest) longest = length, made.dominant = static_cast<uint32_t>(i);
    }
  }
  levels_.push_back(std::move(first));
  while (levels_.back().size() > 1) {
    const std::vector<SpanGroup>& below = levels_.back();
    std::vector<SpanGroup> next((below.size() + 1) / 2);
    for (size_t g = 0; g < next.size(); ++g) {
      SpanGroup made = below[g * 2];
      if (g * 2 + 1 < below.size()) {
        const SpanGroup& other = below[g * 2 + 1];
        const Span &a = spans_[made.dominant], &b = spans_[other.dominant];
        if (b.end - b.start > a.end - a.start) made.dominant = other.dominant;
        made.end = std::max(made.end, other.end);
        made.busy += other.busy;
        made.count += other.count;
      }
      next[g] = made;
    }
    levels_.push_back(std::move(next));
  }
}

size_t Lane::lower(int64_t time) const {
  return static_cast<size_t>(std::lower_bound(spans_.begin(), spans_.end(), time,
                                              [](const Span& s, int64_t t) { return s.start < t; }) -
                             spans_.begin());
}

ptrdiff_t Lane::at(int64_t time, int64_t slack) const {
  const size_t after = static_cast<size_t>(std::upper_bound(spans_.begin(), spans_.end(), time,
                                                            [](int64_t t, const Span& s) { return t < s.start; }) -
                                           spans_.begin());
  if (after > 0 && spans_[after - 1].end >= time) return static_cast<ptrdiff_t>(after) - 1;
  int64_t best = slack + 1;
  ptrdiff_t found = -1;
  if (after > 0 && time - spans_[after - 1].end < best) {
    best = time - spans_[after - 1].end;
    found = static_cast<ptrdiff_t>(after) - 1;
  }
  if (after < spans_.size() && spans_[after].start - time < best) found = static_cast<ptrdiff_t>(after);
  return found;
}

TimelineData build_timeline(const Document& document,
                            const std::vector<std::pair<std::string, QString>>& family_colours) {
  TimelineData data;
  Paints paints{data.paints};
  const std::map<std::string, QString> colours(family_colours.begin(), family_colours.end());
  const auto colour = [&](const std::string& family) {
    const auto it = colours.find(family);
    return it == colours.end() ? QStringLiteral("grey") : it->second;
  };
  data.first = document.first_ns();
  data.last = document.last_ns();

  if (!document.calls.empty()) {
    Track track;
    track.kind = Track::Kind::kCalls;
    track.title = QStringLiteral("Calls");
    track.subtitle = document.functions.size() == 1
                         ? q(document.functions.front().name)
                         : counted(document.functions.size(), "function", "functions");
    std::vector<Span> bars, phases;
    for (size_t i = 0; i < document.calls.size(); ++i) {
      const session::CallRecord& call = document.calls[i];
      Span span{call.start_ns, std::max(call.start_ns, call.end_ns), static_cast<uint32_t>(i), 0, 0};
      switch (call.outcome) {
        case session::CallOutcome::kTrace:
          span.paint = paints.of(QStringLiteral("amber")), span.flags = kSpanTrace;
          if (const session::TraceRecord* t = document.trace(call.trace)) add_phases(*t, span.ref, paints, phases);
          break;
        case session::CallOutcome::kHit:
          span.paint = paints.of(QStringLiteral("teal")), span.flags = kSpanHit;
          break;
        case session::CallOutcome::kEager:
          span.paint = paints.of(QStringLiteral("blue")), span.flags = kSpanEager;
          break;
        case session::CallOutcome::kFailed:
          span.paint = paints.of(QStringLiteral("red")), span.flags = kSpanFailed;
          break;
      }
      bars.push_back(span);
    }
    track.lanes = stack(std::move(bars));
    std::stable_sort(phases.begin(), phases.end(), [](const Span& a, const Span& b) { return a.start < b.start; });
    if (!phases.empty()) {
      for (Lane& lane : stack(std::move(phases))) track.lanes.push_back(std::move(lane));
    }
    data.tracks.push_back(std::move(track));
  }

  for (const ThreadEvents& thread : document.threads) {
    if (thread.events.empty()) continue;
    // Two tracks a thread, so that a traced call's ops stand apart from eager ones.
    std::vector<Span> traced, eager;
    std::vector<uint16_t> paint_of_op(document.ops.size() + 1, UINT16_MAX);
    for (size_t i = 0; i < thread.events.size(); ++i) {
      const OpSpan& event = thread.events[i];
      const size_t op = std::min<size_t>(event.op.value, document.ops.size());
      if (paint_of_op[op] == UINT16_MAX) paint_of_op[op] = paints.of(colour(document.op(event.op).family));
      const bool in_graph = event.node.valid();
      (in_graph ? traced : eager)
          .push_back({event.start_ns, event.end_ns, static_cast<uint32_t>(i), paint_of_op[op],
                      in_graph ? uint16_t{0} : kSpanEager});
    }
    for (auto* spans : {&traced, &eager}) {
      if (spans->empty()) continue;
      Track track;
      track.kind = Track::Kind::kOps;
      track.thread = thread.thread;
      track.title = QStringLiteral("Thread %1").arg(thread.thread);
      track.subtitle = spans == &traced ? QStringLiteral("ops, traced") : QStringLiteral("ops, eager");
      track.lanes = stack(std::move(*spans));
      data.tracks.push_back(std::move(track));
    }
  }

  std::map<std::pair<int, uint64_t>, std::vector<Span>> device;
  for (size_t i = 0; i < document.device.size(); ++i) {
    const session::DeviceRecord& d = document.device[i];
    const bool api = d.kind == "runtime" || d.kind == "driver" || d.kind == "overhead" || d.kind == "sync";
    const bool copy = d.kind == "memcpy" || d.kind == "memset";
    const uint64_t where = api ? 0 : (uint64_t{d.device} << 32) | (copy ? 0 : d.stream);
    const char* paint = api ? "grey" : copy ? "teal" : "violet";
    device[{api ? 2 : copy ? 1 : 0, where}].push_back(
        {d.start_ns, std::max(d.start_ns, d.end_ns), static_cast<uint32_t>(i), paints.of(QLatin1String(paint)), 0});
  }
  for (auto& [key, spans] : device) {
    std::stable_sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
      return a.start != b.start ? a.start < b.start : a.end > b.end;
    });
    Track track;
    track.kind = key.first == 2 ? Track::Kind::kApi : Track::Kind::kDevice;
    const QString gpu = QStringLiteral("GPU %1").arg(key.second >> 32);
    if (key.first == 0) {
      track.title = gpu + QStringLiteral(" stream %1").arg(key.second & 0xffffffff);
      track.subtitle = QStringLiteral("kernels (CUPTI)");
    } else if (key.first == 1) {
      track.title = gpu + QStringLiteral(" copies");
      track.subtitle = QStringLiteral("memory");
    } else {
      track.title = QStringLiteral("CUDA API");
      track.subtitle = QStringLiteral("launches");
    }
    for (const Span& s : spans) {
      if (data.first == 0 || s.start < data.first) data.first = s.start;
      data.last = std::max(data.last, s.end);
    }
    track.lanes = stack(std::move(spans));
    data.tracks.push_back(std::move(track));
  }
  if (data.last <= data.first) data.last = data.first + 1;
  return data;
}

std::vector<OverviewColumn> overview(const TimelineData& data, int columns) {
  std::vector<OverviewColumn> made(static_cast<size_t>(std::max(columns, 1)));
  const double per = static_cast<double>(data.last - data.first) / static_cast<double>(made.size());
  if (per <= 0) return made;
  const auto spread = [&](int64_t start, int64_t end, double weight, float OverviewColumn::*member) {
    const double from = static_cast<double>(start - data.first) / per, to = static_cast<double>(end - data.first) / per;
    const size_t first = static_cast<size_t>(std::clamp(from, 0.0, static_cast<double>(made.size() - 1)));
    const size_t last = static_cast<size_t>(std::clamp(to, 0.0, static_cast<double>(made.size() - 1)));
    for (size_t i = first; i <= last; ++i) {
      const double left = std::max(from, static_cast<double>(i)), right = std::min(to, static_cast<double>(i + 1));
      made[i].*member += static_cast<float>(std::max(0.0, right - left) * weight);
    }
  };
  for (const Track& track : data.tracks) {
    if (track.lanes.empty()) continue;
    const Lane& lane = track.lanes.front();
    if (track.kind == Track::Kind::kCalls) {
      for (const Span& s : lane.spans()) {
        if (s.flags & kSpanTrace) spread(s.start, s.end, 1, &OverviewColumn::tracing);
      }
    }
    if (track.kind == Track::Kind::kApi || track.kind == Track::Kind::kCalls) continue;
    lane.visit(
        data.first, data.last + 1, per,
        [&](size_t i) {
          const Span& s = lane.spans()[i];
          spread(s.start, s.end, 1, &OverviewColumn::busy);
        },
        [&](const SpanGroup& g) {
          const int64_t length = std::max<int64_t>(1, g.end - g.start);
          spread(g.start, g.start + length, static_cast<double>(g.busy) / static_cast<double>(length),
                 &OverviewColumn::busy);
        });
  }
  for (OverviewColumn& c : made) c.busy = std::min(1.f, c.busy), c.tracing = std::min(1.f, c.tracing);
  return made;
}

RangeStatistics range_statistics(const Document& document, int64_t from, int64_t to) {
  RangeStatistics made;
  if (to < from) std::swap(from, to);
  for (const session::CallRecord& call : document.calls) {
    if (call.start_ns < to && call.end_ns > from) ++made.calls;
  }
  struct Row {
    std::vector<int64_t> durations;
    int64_t self = 0;
    uint64_t bytes = 0, flops = 0;
  };
  std::map<uint16_t, Row> rows;
  std::vector<std::pair<int64_t, int64_t>> busy;
  for (const ThreadEvents& thread : document.threads) {
    const auto& events = thread.events;
    size_t i = static_cast<size_t>(std::lower_bound(events.begin(), events.end(), from,
                                                    [](const OpSpan& e, int64_t t) { return e.start_ns < t; }) -
                                   events.begin());
    // One step back for each bar that began before the range and reaches into it; nesting is shallow.
    for (size_t back = 0; i > 0 && back < 16 && events[i - 1].end_ns > from; ++back) --i;
    std::vector<size_t> open;
    for (; i < events.size() && events[i].start_ns < to; ++i) {
      const OpSpan& e = events[i];
      if (e.end_ns <= from) continue;
      Row& row = rows[e.op.value];
      const int64_t length = e.end_ns - e.start_ns;
      row.durations.push_back(length);
      row.self += length;
      if (const session::SignatureRecord* on = document.signature(e.signature)) {
        row.bytes += on->input_bytes + on->output_bytes;
        row.flops += on->flops;
      } else {
        row.bytes += e.bytes;
      }
      while (!open.empty() && events[open.back()].end_ns <= e.start_ns) open.pop_back();
      if (!open.empty()) rows[events[open.back()].op.value].self -= length;
      open.push_back(i);
      ++made.events;
      busy.emplace_back(std::max(from, e.start_ns), std::min(to, e.end_ns));
    }
  }
  std::sort(busy.begin(), busy.end());
  int64_t covered = 0, reach = from;
  for (const auto& [start, end] : busy) {
    if (end > reach) covered += end - std::max(start, reach), reach = end;
  }
  made.busy = to > from ? static_cast<double>(covered) / static_cast<double>(to - from) : 0;
  for (auto& [op, row] : rows) {
    OpStatistics s;
    s.name = q(document.op(OpId(op)).name);
    s.family = document.op(OpId(op)).family;
    s.count = row.durations.size();
    for (int64_t d : row.durations) s.total += d;
    s.self = row.self;
    s.bytes = row.bytes;
    s.flops = row.flops;
    std::sort(row.durations.begin(), row.durations.end());
    s.median = row.durations[(row.durations.size() - 1) / 2];
    s.p95 = row.durations[static_cast<size_t>(std::ceil(0.95 * static_cast<double>(row.durations.size()))) - 1];
    made.rows.push_back(std::move(s));
  }
  std::sort(made.rows.begin(), made.rows.end(), [](const auto& a, const auto& b) { return a.total > b.total; });
  return made;
}

int64_t nice_step(double least) {
  int64_t step = 1;
  while (true) {
    for (const int64_t factor : {1, 2, 5}) {
      if (static_cast<double>(step * factor) >= least) return step * factor;
    }
    if (step > INT64_MAX / 100) return step;
    step *= 10;
  }
}

}  // namespace footlight::app
