// One repetition with events, ready for the sweep: what the thread did, what devices did, which ops that was.
#pragma once

#include "engine/explain/compare/comparison.h"
#include "engine/explain/compare/sweep.h"

#include <vector>

namespace footlight::explain {

// An op that ran in a repetition. Its number is Interval::what.
struct OpRun {
  session::OpNumber op;
  SourceRef source;                // eager, or of a node that a pass made
  session::NodeOrigin node;        // traced
  SignatureId signature;
};

struct Run {
  const session::ComparisonRun* record = nullptr;
  std::vector<Interval> host;      // by start, without gaps or overlaps as far as marks were kept
  std::vector<Interval> devices;
  std::vector<OpRun> ops;
  struct DeviceWork { std::string name; uint32_t stream = 0, correlation = 0; bool call = false; };
  std::vector<DeviceWork> work;    // of each of `devices`
  Sweep swept;                     // of both
  int64_t call_ns = 0;             // dispatch before the first and after the last kernel

  int64_t start() const { return record->start_ns; }
  int64_t total() const { return record->end_ns - record->start_ns; }
  std::vector<Interval> all() const;
};

// `mark_ns`: what each mark took; it belongs to the recording.
Run run_of(const session::ComparisonRun& record, const std::vector<session::DeviceRecord>& device_events,
           double mark_ns = 0);

// Sums over the marks of a repetition.
struct MarkSums {
  bool are_strange = false;        // a time is one that no recorder writes
  int64_t recorder_ns = 0;         // time of the recorder's own work
  int64_t count = 0;               // number of marks that read the clock
};
MarkSums sums_of_marks(const session::ComparisonRun& record);

// What a mark took in these repetitions. `measured` is what one took in a small loop, where it finds its code and
// memory in the caches. In a call whose kernels fill these it may take up to four times as long, or half: what explains
// best by how much longer each repetition with marks took than those `beside` it. What lies beyond stays unexplained.
double mark_time(const std::vector<const session::ComparisonRun*>& with_marks, const std::vector<MarkSums>& sums,
                 const std::vector<int64_t>& beside, double measured);

// What a device event is, and whether it is a call that the host made.
Share share_of(const session::DeviceRecord& event);
bool is_on_host(const session::DeviceRecord& event);

// The device events that overlap [from, to). Throws Error if they cannot be read.
std::vector<session::DeviceRecord> device_events_between(const session::Reader& reader, int64_t from, int64_t to);

}  // namespace footlight::explain
