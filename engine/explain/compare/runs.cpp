// Marks and device events as intervals.
#include "engine/explain/compare/runs.h"

#include "engine/explain/compare/waterfall.h"
#include "engine/session/run_times.h"

#include <algorithm>
#include <map>

namespace footlight::explain {
namespace {

Share share_of_activity(Activity activity) {
  switch (activity) {
    case Activity::kPython: return Share::kPython;
    case Activity::kConversion: return Share::kConversion;
    case Activity::kDispatch: return Share::kDispatch;
    case Activity::kAllocation: return Share::kAllocation;
    case Activity::kKernel: return Share::kHostKernel;
    case Activity::kWaiting: return Share::kWaiting;
    case Activity::kLaunch: return Share::kLaunch;
    case Activity::kRecording: return Share::kRecording;
    case Activity::kMachineCode: return Share::kMachineCode;
    case Activity::kInput: return Share::kInput;
    case Activity::kGuards: return Share::kGuards;
  }
  return Share::kUnexplained;      // of a newer version
}

// What the host did from this moment on: an op of the run, or -1.
struct MarkedOp {
  int64_t start;
  int32_t what;
};

bool is_kernel(Activity activity) { return activity == Activity::kKernel || activity == Activity::kLaunch; }
bool names_op(const session::ComparisonMark& mark) {
  return is_kernel(mark.activity) && (mark.op.valid() || mark.node.valid());
}

// For each mark the number, in the run, of the op whose Python function (tf.py_function) the thread ran; -1: none. The
// function runs between two marks of its op's kernel, of which the second names the op. Ops that the function calls
// have marks of their own between these.
std::vector<int32_t> python_functions_of(const std::vector<session::ComparisonMark>& marks) {
  std::vector<int32_t> ops(marks.size(), -1);
  std::vector<std::vector<size_t>> open;  // marks of functions that have not returned
  int32_t op = 0;
  for (size_t i = 0; i < marks.size(); ++i) {
    const bool after_python = i && marks[i - 1].activity == Activity::kPython;
    const bool before_python = i + 1 < marks.size() && marks[i + 1].activity == Activity::kPython;
    if (marks[i].activity == Activity::kPython) {
      if (!open.empty()) open.back().push_back(i);
    } else if (names_op(marks[i])) {
      if (after_python && !open.empty()) {
        for (const size_t mark : open.back()) ops[mark] = op;
        open.pop_back();
      }
      ++op;
    } else if (marks[i].activity == Activity::kKernel && before_python) {
      open.push_back({i});
    }
  }
  return ops;
}

std::vector<MarkedOp> add_marks(Run& run, double mark_ns) {
  std::vector<MarkedOp> marked_ops;
  const session::ComparisonRun& record = *run.record;
  // Before the first mark the thread is where the repetition began: in Python.
  int64_t at = record.start_ns;
  Activity last = Activity::kPython;
  Share now = Share::kPython;
  int32_t what = -1;
  bool measured = false;           // the interval began with a mark that read the clock
  double owed = 0;                 // of marks' time: it is no whole number
  const auto close = [&](int64_t end) {
    if (measured) owed += mark_ns;
    const int64_t marked = std::min(at + static_cast<int64_t>(owed), end);
    owed -= static_cast<double>(marked - at);
    if (marked > at) run.host.push_back({at, marked, Share::kRecording, -1});
    if (end > marked) run.host.push_back({std::max(at, marked), end, now, what});
    at = std::max(at, end);
  };
  const std::vector<int32_t> functions = python_functions_of(record.marks);
  for (size_t i = 0; i < record.marks.size(); ++i) {
    const session::ComparisonMark& mark = record.marks[i];
    close(std::min(mark.start_ns, record.end_ns));
    // A log never marks the same activity twice in a row: the second one is a part of a kernel that ran several ops.
    measured = last != mark.activity;
    last = mark.activity;
    now = share_of_activity(last);
    if (functions[i] >= 0) {  // the function is Python's time, shown at its op
      what = functions[i];
      marked_ops.push_back({mark.start_ns, what});
      continue;
    }
    what = is_kernel(mark.activity) ? static_cast<int32_t>(run.ops.size()) : -1;
    marked_ops.push_back({mark.start_ns, what});
    if (!names_op(mark)) continue;  // a kernel was interrupted: the next mark of its kind has its op
    run.ops.push_back({mark.op, mark.source, {mark.graph, mark.node}, mark.signature});
  }
  if (!record.lost) close(record.end_ns);  // else nobody knows what followed the last mark
  const auto is_unknown = [&](int32_t op) { return op >= static_cast<int32_t>(run.ops.size()); };
  for (Interval& one : run.host)
    if (is_unknown(one.what)) one.what = -1;
  for (MarkedOp& one : marked_ops)
    if (is_unknown(one.what)) one.what = -1;
  return marked_ops;
}

// The op that the host was in at that moment; -1: in none. The marks are asked, not the intervals: from those the
// recorder's time is taken, which can be all of a short one.
int32_t op_at(const std::vector<MarkedOp>& marked_ops, int64_t moment) {
  const auto after = std::ranges::upper_bound(marked_ops, moment, {}, &MarkedOp::start);
  return after == marked_ops.begin() ? -1 : std::prev(after)->what;
}

void add_devices(Run& run, const std::vector<MarkedOp>& marked_ops,
                 const std::vector<session::DeviceRecord>& events) {
  std::map<uint32_t, int64_t> launched;  // by correlation
  for (const session::DeviceRecord& e : events)
    if (is_on_host(e)) launched.try_emplace(e.correlation, e.start_ns);
  for (const session::DeviceRecord& e : events) {
    if (e.start_ns <= 0 || e.end_ns <= run.record->start_ns || e.start_ns >= run.record->end_ns) continue;
    if (e.kind == "overhead") continue;
    const auto from = launched.find(e.correlation);
    const int64_t asked = is_on_host(e) ? e.start_ns : from == launched.end() ? 0 : from->second;
    run.devices.push_back({e.start_ns, e.end_ns, share_of(e), asked ? op_at(marked_ops, asked) : -1});
    run.work.push_back({e.name, e.stream, e.correlation, is_on_host(e)});
  }
}

// Dispatch around all kernels.
int64_t call_of(const Run& run) {
  int64_t first = run.record->end_ns, last = run.record->start_ns;
  for (const Interval& one : run.host) {
    if (one.what < 0) continue;
    first = std::min(first, one.start);
    last = std::max(last, one.end);
  }
  int64_t sum = 0;
  for (const Interval& one : run.host)
    if (one.share == Share::kDispatch && (one.end <= first || one.start >= last)) sum += one.end - one.start;
  return std::min(sum, run.swept.shares[static_cast<size_t>(Share::kDispatch)]);
}

}  // namespace

MarkSums sums_of_marks(const session::ComparisonRun& record) {
  MarkSums sums;
  int64_t began = 0;
  Activity last = Activity::kPython;
  for (const session::ComparisonMark& mark : record.marks) {
    if (!session::is_possible_time(mark.start_ns)) return {.are_strange = true};
    if (mark.activity == last) continue;  // a part of a kernel: it took no time of its own
    if (last == Activity::kRecording)  // marks of a strange file need not be in order
      sums.recorder_ns = std::min(session::kLatestTime, sums.recorder_ns + std::max<int64_t>(0, mark.start_ns - began));
    if (mark.activity != Activity::kRecording) ++sums.count;
    last = mark.activity, began = mark.start_ns;
  }
  return sums;
}

double mark_time(const std::vector<const session::ComparisonRun*>& with_marks, const std::vector<MarkSums>& sums,
                 const std::vector<int64_t>& beside, double measured) {
  if (with_marks.empty() || beside.empty()) return measured;
  // How much longer each repetition was than those beside it, without the recorder's own work; and its marks.
  std::vector<double> longer, counts;
  std::vector<int64_t> order;
  for (size_t i = 0; i < with_marks.size(); ++i) {
    const int64_t total = with_marks[i]->end_ns - with_marks[i]->start_ns;
    order.push_back(total + beside[i]);
    longer.push_back(static_cast<double>(total - sums[i].recorder_ns - beside[i]));
    counts.push_back(static_cast<double>(sums[i].count));
  }
  const double count = spread_of(counts, order).mean;
  if (count < 1) return measured;
  return std::clamp(spread_of(longer, order).mean / count, measured / 2, measured * 4);
}

Share share_of(const session::DeviceRecord& event) {
  if (event.kind == "kernel") return Share::kDeviceKernel;
  if (event.kind == "memcpy" || event.kind == "memset") return Share::kDeviceCopy;
  const bool waits = event.kind == "sync" || event.name.find("Synchronize") != std::string::npos;
  return waits ? Share::kWaiting : Share::kLaunch;
}

bool is_on_host(const session::DeviceRecord& e) {
  return e.kind == "runtime" || e.kind == "driver" || e.kind == "sync" || e.kind == "overhead";
}

std::vector<Interval> Run::all() const {
  std::vector<Interval> both = host;
  both.insert(both.end(), devices.begin(), devices.end());
  return both;
}

Run run_of(const session::ComparisonRun& record, const std::vector<session::DeviceRecord>& device_events,
           double mark_ns) {
  Run run;
  run.record = &record;
  add_devices(run, add_marks(run, mark_ns), device_events);
  run.swept = sweep(run.all(), record.start_ns, record.end_ns);
  run.swept.given.resize(run.ops.size());
  run.call_ns = call_of(run);
  return run;
}

std::vector<session::DeviceRecord> device_events_between(const session::Reader& reader, int64_t from, int64_t to) {
  std::vector<session::DeviceRecord> found;
  const auto& index = reader.device_events().index();
  for (size_t i = 0; i < index.size(); ++i) {
    if (index[i].last_ns < from || index[i].first_ns >= to) continue;
    for (const session::DeviceRecord& e : *reader.device_events().chunk(i))
      if (e.end_ns > from && e.start_ns < to) found.push_back(e);
  }
  return found;
}

}  // namespace footlight::explain
