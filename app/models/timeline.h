// Names of the timeline's tracks, the phases of tracing below the calls, the table of a range. The bars of the
// tracks come from the store (engine/query/timeline.h).
#pragma once

#include "app/models/document.h"
#include "app/models/timeline_rows.h"

#include "engine/query/grouping.h"

#include <QString>

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace footlight::app {

struct Overlays;
struct TrackTitle {
  QString title, subtitle;
};
// Where there are several processes, the first track of calls is named after its process, and the others begin with it.
TrackTitle title_of(const query::TrackKey& track, const Overlays& overlays);

QString phase_name(const Document& document, const query::TraceSpan& span);
const char* phase_tone(const Document& document, const query::TraceSpan& span);

// Drawn in a timeline besides the bars of its tracks. Computed on the store's thread.
struct Overlays {
  std::map<uint32_t, CallRows> calls;          // keyed by thread
  std::vector<query::Loss> losses;             // sorted by start
  uint64_t lost = 0;                           // op events that are missing from the file
  int64_t first = 0, last = 0;                 // of everything recorded, including spans and counters
  std::map<uint32_t, QString> span_tracks;     // names, by TrackId
  std::map<uint32_t, session::Reader::SourcePlace> stage_tracks;  // stages of pipelines: where they were added
  std::set<uint32_t> memory_tracks;            // tracks that count bytes
  std::map<uint32_t, QString> thread_names;
  std::map<uint32_t, TrackTitle> processes;    // of several: "Rank 3", what is to be said of it
  std::vector<std::pair<int64_t, int64_t>> repeated;  // when Compare repeated calls: no part of the program; joined
  bool simulated = false;                      // the device is one that the engine only rehearses

  bool is_repeated(int64_t ns) const;
};
// Op events that were not recorded, in the whole run.
uint64_t lost_events(const query::Store& store);
Overlays overlays_of(const query::Store& store, const query::Cancel& cancel);

// The time range of everything recorded: calls, op events, traces, device events, spans and counters.
struct TimeRange {
  int64_t first = 0, last = 1;
};
TimeRange time_range(const Document& document, const Overlays& overlays);

// The table of a range.
struct OpStatistics {
  uint64_t key = 0;                // the key of query::Grouping
  session::OpNumber op;
  SignatureId signature;
  QString name;
  std::string family;
  uint64_t count = 0;
  int64_t total = 0, self = 0;     // within the range
  int64_t median = 0, p95 = 0, greatest = 0;
  uint64_t bytes = 0, flops = 0;   // totals; bytes in and out
  int64_t kernels = 0;             // time of its kernels on devices
  int64_t launches = 0;            // time of the ops that have kernels
  int64_t computed = 0;            // time of whole ops, kernels in place of their launches; FLOPs are divided by it
  std::vector<std::pair<int64_t, uint64_t>> steps;  // durations and how often, ascending
};
struct MemoryPeak {
  QString of;                      // "memory", "GPU 0 memory"
  double bytes = 0;
};
struct RangeStatistics {
  query::GroupBy by = query::GroupBy::kOp;
  int64_t from = 0, to = 0;
  std::vector<OpStatistics> rows;  // sorted by total time, descending
  uint64_t calls = 0, events = 0;
  // Shares of the range: of each moment the first that was seen in it. The rest is Python, outside of calls, where
  // `rest_is_python`; of what another program recorded it is not known.
  // kPyFunction: an op ran a Python function. kCompared: Compare repeated a call. kInCalls: nothing else is recorded.
  enum Part { kPyFunction, kOps, kCompared, kTracing, kMachineCode, kInput, kDevice, kInCalls, kParts };
  std::array<double, kParts> shares{};
  uint64_t lost = 0;               // op events missing in the range: all counts are too low
  uint64_t unlisted = 0;           // op events for whose rows the table has no room
  std::vector<MemoryPeak> memory;  // for each device, the peak of tensors' memory
  bool rest_is_python = true;
  bool estimated = false;          // quantiles are within 3 %, of the whole run
  int64_t total() const;           // sum over all rows
};
// Runs on the store's thread; names and families are filled in on the document's.
RangeStatistics range_statistics(const query::Store& store, int64_t from, int64_t to, const query::Cancel& cancel,
                                 query::GroupBy by = query::GroupBy::kOp);
// The whole run by op, at once, from sums that the store keeps; without self times, bytes and FLOPs.
RangeStatistics stored_statistics(const query::Store& store);
void name_rows(const Document& document, RangeStatistics& statistics);
QString group_name(query::GroupBy by);           // "Op", "Line"
// "2 calls · 10 op events · of this time 61 % ops, 30 % Python, 9 % in calls (not recorded)"
QString range_sentence(const RangeStatistics& statistics);

// A value of a counter: "41.2 MB", "0.25".
QString counter_text(const Overlays& overlays, uint32_t track, double value);

// Step of the time axis: 1, 2 or 5 times a power of ten, at least `least` ns.
int64_t nice_step(double least);

}  // namespace footlight::app
