// Names the tracks, lays out phases, fills the table of a range.
#include "app/models/timeline.h"

#include "app/models/text.h"

#include "engine/query/op_totals.h"

#include <algorithm>

namespace footlight::app {

TrackTitle title_of(const Document& document, const query::TrackKey& track) {
  const auto text = [](const char* words) { return QString::fromLatin1(words); };
  switch (track.kind) {
    case query::TrackKind::kCalls:
      return {text("Calls"), document.functions.size() == 1
                                 ? q(document.functions.front().name)
                                 : counted(document.functions.size(), "function", "functions")};
    case query::TrackKind::kTracedOps:
    case query::TrackKind::kEagerOps:
      return {QStringLiteral("Thread %1").arg(track.number),
              text(track.kind == query::TrackKind::kTracedOps ? "ops, traced" : "ops, eager")};
    case query::TrackKind::kKernels:
      return {QStringLiteral("GPU %1 stream %2").arg(track.number).arg(track.stream), text("kernels (CUPTI)")};
    case query::TrackKind::kCopies: return {QStringLiteral("GPU %1 copies").arg(track.number), text("memory")};
    case query::TrackKind::kApi: return {text("CUDA API"), text("launches")};
  }
  return {};
}

QString phase_name(const Phase& phase) {
  static const char* const names[] = {"AutoGraph", "Python", "optimize", "compile"};
  return QString::fromLatin1(names[phase.number & 3]);
}

const char* phase_tone(const Phase& phase) {
  static const char* const tones[] = {"amber", "grey", "pink", "pink"};
  return tones[phase.number & 3];
}

std::vector<std::vector<Phase>> phase_lanes(const Document& document) {
  std::vector<Phase> all;
  for (const session::TraceRecord& t : document.traces) {
    if (!document.calls_of(t.id).traced) continue;
    int64_t at = t.start_ns;
    int number = 0;
    for (const int64_t ns :
         {t.phase_ns("autograph"), t.phase_ns("python"), t.phase_ns("optimize"), t.phase_ns("compile")}) {
      if (ns > 0) all.push_back({at, at + ns, t.id, number}), at += ns;
      ++number;
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Phase& a, const Phase& b) { return a.start < b.start; });
  std::vector<std::vector<Phase>> lanes;
  for (const Phase& phase : all) {
    size_t lane = 0;
    while (lane < lanes.size() && lanes[lane].back().end > phase.start) ++lane;
    lane = std::min(lane, size_t{query::kLanes} - 1);
    if (lane == lanes.size()) lanes.emplace_back();
    lanes[lane].push_back(phase);
  }
  return lanes;
}

TimeRange time_range(const Document& document) {
  TimeRange range{document.first_ns(), document.last_ns()};
  if (document.first_device_ns > 0 && (range.first == 0 || document.first_device_ns < range.first))
    range.first = document.first_device_ns;
  range.last = std::max({range.last, document.last_device_ns, range.first + 1});
  return range;
}

RangeStatistics range_statistics(const query::Store& store, int64_t from, int64_t to, const query::Cancel& cancel) {
  RangeStatistics made;
  if (to < from) std::swap(from, to);
  made.calls = store.calls().count_between(from, to, cancel);
  query::OpTotalsOptions options;
  options.from = from;
  options.to = to;
  query::OpTotals totals = query::op_totals(store.reader(), options, cancel);
  made.events = totals.events;
  made.busy = to > from ? static_cast<double>(totals.busy_ns) / static_cast<double>(to - from) : 0;
  for (query::OpTotal& row : totals.rows) {
    OpStatistics s;
    s.op = row.op;
    s.count = row.durations.count();
    s.total = row.durations.sums().total;
    s.self = row.self_ns;
    s.median = row.durations.median();
    s.p95 = row.durations.quantile(0.95);
    s.bytes = row.bytes;
    s.flops = row.flops;
    made.rows.push_back(std::move(s));
  }
  return made;
}

void name_rows(const Document& document, RangeStatistics& statistics) {
  for (OpStatistics& row : statistics.rows) {
    row.name = q(document.op(row.op).name);
    row.family = document.op(row.op).family;
  }
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
