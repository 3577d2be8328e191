// Names the tracks, lays out phases, fills the table of a range.
#include "app/models/timeline.h"

#include "app/models/phases.h"
#include "app/models/text.h"

#include "engine/explain/pipelines.h"
#include "engine/query/device_sums.h"
#include "engine/query/late_ranks.h"
#include "engine/query/op_totals.h"
#include "engine/session/imported.h"
#include "engine/session/readable_chunks.h"

#include <QStringList>

#include <algorithm>
#include <functional>
#include <numeric>

namespace footlight::app {
namespace {
TrackTitle title_in_process(const query::TrackKey& track, const Overlays& overlays) {
  const auto text = [](const char* words) { return QString::fromLatin1(words); };
  const auto thread = [&] {
    const auto name = overlays.thread_names.find(track.number);
    const QString number = QStringLiteral("Thread %1").arg(query::number_in_process(track));
    return name == overlays.thread_names.end() || name->second.isEmpty()
               ? number
               : number + QString::fromUtf8(" · ") + name->second;
  };
  const QString device = overlays.simulated ? text(" (simulated)") : QString();
  switch (track.kind) {
    case query::TrackKind::kCalls: return {text("Calls"), thread()};
    case query::TrackKind::kTracedOps: return {text("Ops, traced"), thread()};
    case query::TrackKind::kEagerOps: return {text("Ops, eager"), thread()};
    case query::TrackKind::kSpans: {
      const auto name = overlays.span_tracks.find(track.number);
      return {text(overlays.stage_tracks.contains(track.number) ? "Pipeline" : "Spans"),
              name == overlays.span_tracks.end() ? QString() : name->second};
    }
    case query::TrackKind::kKernels:
      return {QStringLiteral("GPU %1 stream %2").arg(query::number_in_process(track)).arg(track.stream),
              (overlays.simulated ? text("Kernels") : text("Kernels (CUPTI)")) + device};
    case query::TrackKind::kCopies:
      return {QStringLiteral("GPU %1 copies").arg(query::number_in_process(track)), text("Memory") + device};
    case query::TrackKind::kApi: return {text("CUDA API"), text("Launches") + device};
  }
  return {};
}

const std::string* phase_of(const Document& document, const query::TraceSpan& span) {
  const session::TraceRecord* trace = document.trace(span.trace);
  return trace && span.phase < trace->phases.size() ? &trace->phases[span.phase].name : nullptr;
}
}  // namespace

TrackTitle title_of(const query::TrackKey& track, const Overlays& overlays) {
  TrackTitle words = title_in_process(track, overlays);
  const auto process = overlays.processes.find(query::process_of(track));
  if (process == overlays.processes.end()) return words;
  if (track.kind == query::TrackKind::kCalls) {
    words.subtitle = process->second.subtitle.isEmpty() ? words.subtitle : process->second.subtitle;
    words.title = process->second.title;
  } else {
    words.title = process->second.title + QString::fromUtf8(" · ") + words.title;
  }
  return words;
}

namespace {
// Called while another function was traced: no op of it ran then, the outer graph calls it.
bool is_inside_tracing(const Document& document, const session::TraceRecord& trace) {
  return std::ranges::any_of(document.traces, [&](const session::TraceRecord& outer) {
    return outer.id != trace.id && outer.start_ns < trace.start_ns && outer.end_ns > trace.end_ns;
  });
}
}  // namespace

QString phase_name(const Document& document, const query::TraceSpan& span) {
  const session::TraceRecord* trace = document.trace(span.trace);
  switch (span.part) {
    case query::TracePart::kBefore: return QStringLiteral("Before tracing");
    case query::TracePart::kAfter:
      return trace && is_inside_tracing(document, *trace) ? QStringLiteral("After tracing") : QStringLiteral("Run");
    case query::TracePart::kMachineCode: return QStringLiteral("Machine code");
    case query::TracePart::kCompared: return QStringLiteral("Compare's repetitions");
    case query::TracePart::kOther:
      return span.depth == 0 ? QStringLiteral("Between traces") : capitalized(unexplained_word());
    case query::TracePart::kTrace: return trace ? QStringLiteral("Trace #%1").arg(trace->number) : QString();
    case query::TracePart::kPhase: break;
  }
  const std::string* name = phase_of(document, span);
  return name ? capitalized(phase_word(*name)) : QString();
}

const char* phase_tone(const Document& document, const query::TraceSpan& span) {
  if (span.part == query::TracePart::kTrace) return "amber";
  if (span.part == query::TracePart::kAfter) return "teal";
  if (span.part == query::TracePart::kMachineCode) return "pink";
  const std::string* name = span.part == query::TracePart::kPhase ? phase_of(document, span) : nullptr;
  if (!name || *name == "python" || *name == "record") return "grey";
  return *name == "autograph" ? "blue" : "pink";
}

uint64_t lost_events(const query::Store& store) {
  uint64_t lost = 0;
  for (const session::DroppedRecord& d : store.reader().contents().dropped) {
    if (d.what == session::OpColumns::kPlural) lost += d.count;
  }
  return lost;
}

namespace {
// Sorts the times, and makes one of those that overlap.
void join(std::vector<std::pair<int64_t, int64_t>>& times) {
  std::sort(times.begin(), times.end());
  size_t kept = 0;
  for (const auto& time : times) {
    if (kept && time.first <= times[kept - 1].second)
      times[kept - 1].second = std::max(times[kept - 1].second, time.second);
    else times[kept++] = time;
  }
  times.resize(kept);
}
}  // namespace

bool Overlays::is_repeated(int64_t ns) const {
  const auto after = std::upper_bound(repeated.begin(), repeated.end(), std::pair(ns, INT64_MAX));
  return after != repeated.begin() && ns <= std::prev(after)->second;
}

namespace {
// "3 traces, waited 38 ms": by this a late rank is found among the others.
void name_processes(const query::Store& store, Overlays& made, const query::Cancel& cancel) {
  const session::Contents& contents = store.reader().contents();
  if (contents.processes.size() < 2) return;
  for (const session::ProcessRecord& process : contents.processes)
    made.processes[process.id.value].title = q(query::process_name(contents, process.id));
  const query::Ranks ranks = query::find_late_ranks(store.reader(), cancel);
  for (const query::RankSums& rank : ranks.ranks)
    made.processes[rank.process.value].subtitle =
        QStringLiteral("%1 traces, waited %2").arg(rank.traces).arg(duration_text(rank.waited_ns));
}
}  // namespace

Overlays overlays_of(const query::Store& store, const query::Cancel& cancel) {
  Overlays made;
  std::map<uint32_t, std::vector<query::TraceSpan>> by_thread;
  for (const query::TraceSpan& span : query::all_trace_spans(store, cancel))
    by_thread[span.thread.valid() ? span.thread.value : 0].push_back(span);
  for (const auto& [thread, spans] : by_thread)
    made.calls[thread] = call_rows(store, {query::TrackKind::kCalls, thread, 0}, spans, cancel);
  made.lost = lost_events(store);
  if (made.lost) made.losses = store.losses().all();
  std::sort(made.losses.begin(), made.losses.end(),
            [](const query::Loss& a, const query::Loss& b) { return a.from < b.from; });
  const auto cover = [&made](const std::vector<session::ChunkInfo>& index) {
    for (const session::ChunkInfo& chunk : index) {
      made.first = made.first ? std::min(made.first, chunk.first_ns) : chunk.first_ns;
      made.last = std::max(made.last, chunk.last_ns);
    }
  };
  cover(store.reader().spans().index());
  cover(store.reader().counters().index());
  const session::Contents& contents = store.reader().contents();
  for (const session::TrackRecord& t : contents.tracks) {
    QString& name = made.span_tracks[t.id.value];
    name = q(t.name);
    if (t.kind == session::TrackRecord::kStage || t.kind == session::TrackRecord::kQueue) {
      const session::Reader::SourcePlace place = store.reader().place(t.source);
      if (t.kind == session::TrackRecord::kQueue) name += QStringLiteral(" queue");
      else made.stage_tracks[t.id.value] = place;
      if (place.line && t.kind == session::TrackRecord::kStage) name += QString::fromUtf8(" · line %1").arg(place.line);
    } else if (t.thread.valid()) {  // threads of Python often share one name
      name = QStringLiteral("Thread %1").arg(t.thread.value & 0xFFFFFF) + QString::fromUtf8(" · ") + name;
    }
  }
  for (const session::ComparisonRecord& c : contents.comparisons)
    if (c.start_ns > 0 && c.end_ns > c.start_ns) made.repeated.emplace_back(c.start_ns, c.end_ns);
  join(made.repeated);
  for (const session::TrackRecord& t : contents.tracks)
    if (t.kind == session::TrackRecord::kMemory) made.memory_tracks.insert(t.id.value);
  for (const session::ThreadRecord& t : contents.threads) made.thread_names[t.number.value] = q(t.name);
  name_processes(store, made, cancel);
  for (const session::DeviceNameRecord& d : contents.device_names)
    made.simulated = made.simulated || q(d.description).contains(QStringLiteral("simulated"), Qt::CaseInsensitive);
  return made;
}

TimeRange time_range(const Document& document, const Overlays& overlays) {
  TimeRange range{document.first_ns(), document.last_ns()};
  if (document.first_device_ns > 0 && (range.first == 0 || document.first_device_ns < range.first))
    range.first = document.first_device_ns;
  if (overlays.first > 0 && (range.first == 0 || overlays.first < range.first)) range.first = overlays.first;
  range.last = std::max({range.last, document.last_device_ns, overlays.last, range.first + 1});
  return range;
}

namespace {
// Neighbours that are within 3 % become one: enough for a picture, whatever the number of different durations.
std::vector<std::pair<int64_t, uint64_t>> coarse(const std::vector<std::pair<int64_t, uint64_t>>& runs) {
  std::vector<std::pair<int64_t, uint64_t>> made;
  for (const auto& [ns, count] : runs) {
    if (!made.empty() && static_cast<double>(ns) < static_cast<double>(made.back().first) * 1.03) {
      made.back().second += count;
    } else {
      made.emplace_back(ns, count);
    }
  }
  return made;
}
}  // namespace

namespace {
template <class Store, class Visit>
void each_within(const Store& store, int64_t from, int64_t to, const query::Cancel& cancel, Visit&& visit) {
  each_record(store, from, to, [&] { cancel.check(); }, [&](const auto& one) {
    if (one.start_ns < to && one.end_ns > from) visit(one);
  });
}

// Work other than ops: the parts of RangeStatistics from kCompared on.
std::vector<query::OpTotalsOptions::Intervals> other_work(const query::Store& store, int64_t from, int64_t to,
                                                          const query::Cancel& cancel) {
  const session::Reader& reader = store.reader();
  std::vector<query::OpTotalsOptions::Intervals> all(RangeStatistics::kParts - RangeStatistics::kCompared);
  const auto of = [&](RangeStatistics::Part part) -> auto& { return all[part - RangeStatistics::kCompared]; };
  for (const session::TraceRecord& t : reader.contents().traces)
    if (t.start_ns < to && t.end_ns > from) of(RangeStatistics::kTracing).emplace_back(t.start_ns, t.end_ns);
  for (const session::ComparisonRecord& c : reader.contents().comparisons)
    if (c.start_ns < to && c.end_ns > from) of(RangeStatistics::kCompared).emplace_back(c.start_ns, c.end_ns);
  each_within(reader.spans(), from, to, cancel, [&](const session::SpanRecord& s) {
    if (s.category == session::SpanRecord::kMachineCode)
      of(RangeStatistics::kMachineCode).emplace_back(s.start_ns, s.end_ns);
    // One span may stand for several elements, and for what was done between them.
    if (const explain::TakenInput input = explain::taken_input(reader, s); input.ns > 0)
      of(RangeStatistics::kInput).emplace_back(s.start_ns, s.start_ns + input.ns);
  });
  const query::RepeatedTimes repeated(reader);
  each_within(reader.device_events(), from, to, cancel, [&](const session::DeviceRecord& d) {
    const bool works = d.kind == "kernel" || d.kind == "memcpy" || d.kind == "memset";
    if (works && d.start_ns > 0 && !repeated.has(d)) of(RangeStatistics::kDevice).emplace_back(d.start_ns, d.end_ns);
  });
  // Calls that run eagerly run Python, too.
  each_within(reader.calls(), from, to, cancel, [&](const session::CallRecord& c) {
    if (!c.parent.valid() && c.outcome != CallOutcome::kEager)
      of(RangeStatistics::kInCalls).emplace_back(c.start_ns, c.end_ns);
  });
  return all;
}
}  // namespace

RangeStatistics range_statistics(const query::Store& store, int64_t from, int64_t to, const query::Cancel& cancel,
                                 query::GroupBy by) {
  RangeStatistics made;
  if (to < from) std::swap(from, to);
  made.by = by;
  made.from = from;
  made.to = to;
  made.rest_is_python = !session::is_imported(store.reader().contents().run.engine);
  made.calls = store.calls().count_between(from, to, cancel);
  for (const query::CounterPeak& peak : store.counters().peaks(store.reader().counters(), from, to, cancel)) {
    const session::TrackRecord* track = store.reader().track(session::TrackId(peak.track));
    if (!track || track->kind != session::TrackRecord::kMemory) continue;
    const bool host = !track->device.valid() || track->device.value == 0;
    made.memory.push_back(
        {host ? QStringLiteral("memory") : QStringLiteral("GPU %1 memory").arg(track->device.value - 1), peak.value});
  }
  query::OpTotalsOptions options;
  options.from = from;
  options.to = to;
  options.by = by;
  options.others = other_work(store, from, to, cancel);
  options.input = RangeStatistics::kInput - RangeStatistics::kCompared;
  query::OpTotals totals = query::op_totals(store.reader(), options, cancel);
  made.events = totals.events;
  made.unlisted = totals.unlisted;
  const double length = static_cast<double>(std::max<int64_t>(1, to - from));
  made.shares[RangeStatistics::kPyFunction] = static_cast<double>(totals.python_ns) / length;
  made.shares[RangeStatistics::kOps] = static_cast<double>(totals.busy_ns - totals.python_ns) / length;
  for (size_t k = 0; k < totals.others_ns.size(); ++k)
    made.shares[RangeStatistics::kCompared + k] = static_cast<double>(totals.others_ns[k]) / length;
  if (const uint64_t all = lost_events(store); all > 0) {
    for (const query::Loss& loss : store.losses().all()) {
      if (loss.from < to && loss.to > from) made.lost += loss.events;
    }
    // Losses after a thread's last event leave no gap in the numbers.
    if (from <= store.reader().first_time() && to > store.reader().last_time()) made.lost = all;
  }
  for (query::OpTotal& row : totals.rows) {
    OpStatistics s;
    s.key = row.key;
    s.op = row.op;
    s.signature = row.signature;
    s.count = row.durations.count();
    s.total = row.total_ns;
    s.greatest = row.durations.sums().max;
    s.self = row.self_ns;
    s.median = row.durations.median();
    s.p95 = row.durations.quantile(0.95);
    s.bytes = row.bytes;
    s.flops = row.flops;
    s.kernels = row.kernel_ns;
    s.launches = row.launch_ns;
    s.computed = row.compute_ns();
    s.steps = coarse(row.durations.runs());
    made.rows.push_back(std::move(s));
  }
  return made;
}

RangeStatistics stored_statistics(const query::Store& store) {
  RangeStatistics made;
  made.estimated = true;
  made.events = store.op_rows();
  made.calls = store.calls().rows();
  for (const session::OpNumber op : store.ops()) {
    const query::LogHistogram* histogram = store.histogram_of(op);
    const query::Sums sums = store.of_op(op);
    OpStatistics s;
    s.key = op.value;
    s.op = op;
    s.count = sums.count;
    s.total = sums.total;
    s.greatest = sums.max;
    s.steps = histogram->steps();
    const auto quantile = [&](double share) {
      auto rank = static_cast<uint64_t>(share * static_cast<double>(s.count - 1));
      for (const auto& [ns, count] : s.steps) {
        if (rank < count) return std::clamp(ns, sums.min, sums.max);
        rank -= count;
      }
      return sums.max;
    };
    s.median = quantile(0.5);
    s.p95 = quantile(0.95);
    made.rows.push_back(std::move(s));
  }
  std::stable_sort(made.rows.begin(), made.rows.end(),
                   [](const OpStatistics& a, const OpStatistics& b) { return a.total > b.total; });
  return made;
}

int64_t RangeStatistics::total() const {
  int64_t sum = 0;
  for (const OpStatistics& row : rows) sum += row.total;
  return sum;
}

void name_rows(const Document& document, RangeStatistics& statistics) {
  for (OpStatistics& row : statistics.rows) {
    const OpInfo& op = document.op(row.op);
    const QString name = q(op.name);
    switch (statistics.by) {
      case query::GroupBy::kOp:
        row.name = name;
        row.family = op.family;
        continue;
      case query::GroupBy::kShape: {
        const session::SignatureRecord* on = document.signature(row.signature);
        row.name = on ? name + QStringLiteral("  ") + q(on->inputs) + QString::fromUtf8(" → ") + q(on->outputs) : name;
        row.family = op.family;
        continue;
      }
      case query::GroupBy::kLine: {
        const query::GroupPlace at = query::line_of(row.key);
        const SourcePlace place{at.file, at.line};
        if (row.key != query::Grouping::kUnknown)
          row.name = document.place_text(place) + QStringLiteral("  ") + document.line_text(place).trimmed();
        break;
      }
      case query::GroupBy::kFunction:
        if (const session::CodeRecord* code = document.code(CodeId(static_cast<uint32_t>(row.key))))
          row.name = q(code->qualname) + QStringLiteral("  ") + document.place_text({code->file, code->first_line});
        break;
    }
    if (row.name.isEmpty()) row.name = QStringLiteral("Unknown line");
  }
}

QString group_name(query::GroupBy by) {
  static const char* const names[] = {"Op", "Op and shapes", "Line", "Function"};
  return QString::fromLatin1(names[static_cast<size_t>(by)]);
}

namespace {
// Files may say anything.
uint64_t whole_bytes(double bytes) { return static_cast<uint64_t>(std::clamp(bytes, 0.0, 9e18)); }

// Whole percents that add up to 100 where the shares add up to 1: the largest remainders are rounded up, so that each
// is its share rounded up or down, whatever stands before it.
std::vector<int> whole_percents(const std::vector<double>& shares) {
  std::vector<int> percents(shares.size());
  std::vector<size_t> order(shares.size());
  int left = 100;
  for (size_t i = 0; i < shares.size(); ++i) {
    percents[i] = static_cast<int>(100 * std::clamp(shares[i], 0.0, 1.0) + 1e-9);
    left -= percents[i];
    order[i] = i;
  }
  std::ranges::stable_sort(order, std::greater(), [&](size_t i) { return 100 * shares[i] - percents[i]; });
  for (size_t i = 0; i < order.size() && left > 0 && 100 * shares[order[i]] - percents[order[i]] > 1e-6; ++i, --left)
    ++percents[order[i]];
  return percents;
}
}  // namespace

QString range_sentence(const RangeStatistics& s) {
  const QString dot = QString::fromUtf8(" · ");
  QString text = counted(s.calls, "call", "calls") + dot + counted(s.events, "op event", "op events");
  if (s.estimated) return text;
  // The parts make up the whole.
  const char* const names[] = {"py_function",  "ops",   "Compare's repetitions", "tracing",
                               "machine code", "input", "the device",            "in calls (not recorded)",
                               s.rest_is_python ? "Python" : "not recorded"};
  QStringList parts;
  std::vector<double> shares(s.shares.begin(), s.shares.end());
  shares.push_back(std::max(0.0, 1 - std::accumulate(shares.begin(), shares.end(), 0.0)));
  const std::vector<int> percents = whole_percents(shares);
  for (size_t i = 0; i < percents.size(); ++i)
    if (percents[i]) parts << QStringLiteral("%1 % %2").arg(percents[i]).arg(QLatin1String(names[i]));
  text += dot + QStringLiteral("of this time ") + parts.join(QStringLiteral(", "));
  if (s.unlisted)
    text += dot + counted(s.unlisted, "op event is", "op events are") +
            QStringLiteral(" in no row, because the table has room for %1 rows").arg(count_text(query::kMaxTotalRows));
  for (const MemoryPeak& peak : s.memory)
    text += dot + peak.of + QStringLiteral(" up to ") + bytes_text(whole_bytes(peak.bytes));
  return text;
}

QString counter_text(const Overlays& overlays, uint32_t track, double value) {
  return overlays.memory_tracks.contains(track) ? bytes_text(whole_bytes(value)) : QString::number(value, 'g', 4);
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
