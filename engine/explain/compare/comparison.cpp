// From the repetitions in a session to what is said about them.
#include "engine/explain/compare/comparison.h"

#include "engine/explain/compare/groups.h"
#include "engine/explain/engines.h"
#include "engine/explain/compare/pictures.h"
#include "engine/explain/compare/recorded_read.h"
#include "engine/explain/compare/repeated_call.h"
#include "engine/explain/compare/waterfall.h"
#include "engine/explain/words.h"
#include "engine/session/run_times.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace footlight::explain {
namespace {

using session::ComparisonRecord;
using session::ComparisonRun;

// With fewer pairs that nobody interrupted, the interrupted ones count too.
constexpr size_t kMinWithEvents = 3, kMinWithout = 10;
// More than any recorder writes: a strange file must not multiply.
constexpr size_t kMaxPairs = 10'000, kMaxCells = size_t{1} << 24, kMaxDeviceEvents = size_t{1} << 22;

// The complete pairs that count: those that nobody interrupted, unless too few are left of them.
struct Pairs {
  using Pair = std::pair<const ComparisonRun*, const ComparisonRun*>;
  std::vector<Pair> with_events, without;
  std::vector<MarkSums> eager_marks, traced_marks;  // of with_events
  uint32_t warm_up = 0, interrupted = 0;
  bool interrupted_count = false;

  explicit Pairs(const ComparisonRecord& record) {
    std::map<uint32_t, Pair> by_number;
    for (const ComparisonRun& run : record.runs)
      (run.traced ? by_number[run.pair].second : by_number[run.pair].first) = &run;
    uint32_t clean_with = 0, clean_without = 0;
    for (const auto& [number, pair] : by_number) {
      if (!counts(pair)) continue;
      if (was_interrupted(pair)) ++interrupted;
      else ++(pair.first->with_events ? clean_with : clean_without);
    }
    interrupted_count = clean_with < kMinWithEvents || clean_without < kMinWithout;
    for (const auto& [number, pair] : by_number) add(pair);
  }

 private:
  static bool are_strange_times(const ComparisonRun& run) {
    return !session::is_possible_time(run.start_ns) || !session::is_possible_time(run.end_ns) ||
           run.end_ns < run.start_ns;
  }
  static bool is_complete(const Pair& pair) {
    return pair.first && pair.second && !are_strange_times(*pair.first) && !are_strange_times(*pair.second);
  }
  static bool is_warm_up(const Pair& pair) { return pair.first->warm_up || pair.second->warm_up; }
  static bool was_interrupted(const Pair& pair) { return pair.first->interruptions || pair.second->interruptions; }
  static bool counts(const Pair& pair) {
    return is_complete(pair) && !is_warm_up(pair) && pair.first->with_events == pair.second->with_events;
  }
  void add(const Pair& pair) {
    if (!is_complete(pair)) return;
    const MarkSums of_eager = sums_of_marks(*pair.first), of_traced = sums_of_marks(*pair.second);
    if (of_eager.are_strange || of_traced.are_strange) return;
    if (is_warm_up(pair)) ++warm_up;
    else if (!counts(pair) || (was_interrupted(pair) && !interrupted_count)) return;
    else if (!pair.first->with_events) without.push_back(pair);
    else if (with_events.size() < kMaxPairs) {
      with_events.push_back(pair);
      eager_marks.push_back(of_eager);
      traced_marks.push_back(of_traced);
    }
  }
};

// The repetitions without events that ran just before and after a pair with them: [first, second) of `without`. A
// machine gets slower and faster while a call is repeated, so a repetition is compared with its neighbours.
std::pair<size_t, size_t> beside(const Pairs& pairs, uint32_t pair_number) {
  constexpr size_t kBefore = 2, kAfter = 2;
  const auto number = [](const auto& p) { return p.first->pair; };
  const auto after = std::ranges::lower_bound(pairs.without, pair_number, {}, number);
  const auto at = static_cast<size_t>(after - pairs.without.begin());
  return {at < kBefore ? 0 : at - kBefore, std::min(at + kAfter, pairs.without.size())};
}

int64_t time_of(const ComparisonRun& run) { return run.end_ns - run.start_ns; }

// For each pair with events, what this side took in those beside it: their median.
std::vector<int64_t> times_beside(const Pairs& pairs, bool traced) {
  std::vector<int64_t> medians;
  for (const auto& pair : pairs.with_events) {
    std::vector<int64_t> times;
    for (auto [i, end] = beside(pairs, pair.first->pair); i < end; ++i)
      times.push_back(time_of(traced ? *pairs.without[i].second : *pairs.without[i].first));
    if (times.empty()) return {};
    std::ranges::sort(times);
    medians.push_back((times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2);
  }
  return medians;
}

// What totals are of: the repetitions beside those with events, each once, so that means, spreads and what is known of
// the difference are of the same ones. Without any of either kind all that there are.
void add_totals(const Pairs& pairs, SideRuns& eager, SideRuns& traced) {
  size_t next = 0;
  const auto add_until = [&](size_t end) {
    for (; next < end; ++next) {
      eager.totals.push_back(time_of(*pairs.without[next].first));
      traced.totals.push_back(time_of(*pairs.without[next].second));
    }
  };
  for (const auto& pair : pairs.with_events) {
    const auto [from, to] = beside(pairs, pair.first->pair);
    next = std::max(next, from);
    add_until(to);
  }
  if (pairs.with_events.empty()) add_until(pairs.without.size());
}

SideRuns::One one_of(const Run& run, const Groups& groups) {
  SideRuns::One one;
  one.total = run.total();
  one.shares = run.swept.shares;
  one.call = run.call_ns;
  one.rows.resize(groups.rows().size());
  const auto kernels = [&](const Interval& i) {
    return i.share == Share::kHostKernel || i.share == Share::kDeviceKernel;
  };
  // A launch's own time is no kernel's: the rows have what their kernels were given. Where no kernel was seen, they
  // have the launches.
  std::vector<Interval> counted = run.all();
  const bool any_kernel = std::ranges::any_of(counted, kernels);
  for (Interval& i : counted)
    if (any_kernel ? !kernels(i) : i.share != Share::kLaunch) i.what = -1;
  const Sweep swept = sweep(counted, run.start(), run.record->end_ns);
  for (size_t op = 0; op < swept.given.size(); ++op) {
    if (!swept.given[op]) continue;
    const int32_t row = groups.row_of(run, op);
    if (row < 0) continue;
    one.rows[static_cast<size_t>(row)] += swept.given[op];
    if (!any_kernel) one.launches_in_rows += swept.given[op];
  }
  return one;
}

void add_sizes(const session::Reader& reader, const Run& run, const Groups& groups, std::vector<Row>& rows) {
  for (size_t op = 0; op < run.ops.size(); ++op) {
    const int32_t at = groups.row_of(run, op);
    const session::SignatureRecord* signature = reader.signature(run.ops[op].signature);
    if (at < 0 || !signature) continue;
    Row& row = rows[static_cast<size_t>(at)];
    (run.record->traced ? row.traced_bytes : row.eager_bytes) += signature->input_bytes + signature->output_bytes;
    if (!run.record->traced || !row.eager_count) row.flops += signature->flops;
  }
}

// The pair that is nearest to the means of both sides.
size_t nearest(const std::vector<Run>& eager, const std::vector<Run>& traced, const Comparison& c) {
  size_t best = 0;
  double least = INFINITY;
  for (size_t i = 0; i < eager.size(); ++i) {
    const auto off = [](const Run& run, const Side& side) {
      return std::abs(static_cast<double>(run.total()) / std::max(side.recorded.mean, 1.0) - 1);
    };
    const double distance = off(eager[i], c.eager) + off(traced[i], c.traced);
    if (distance < least) least = distance, best = i;
  }
  return best;
}

void measure(Comparison& c, const session::Reader& reader, const ComparisonRecord& record) {
  const Pairs pairs(record);
  c.warm_up = pairs.warm_up;
  if (pairs.interrupted) {
    if (!pairs.interrupted_count) c.interrupted = pairs.interrupted;
    c.notes.push_back("Other programs interrupted " + with_commas(pairs.interrupted) +
                      (pairs.interrupted == 1 ? " pair" : " pairs") +
                      (pairs.interrupted_count ? "; all pairs count, since too few others are left: the times hold "
                                                 "what those programs took, and it is unexplained"
                       : pairs.interrupted == 1 ? ", which does not count" : ", which do not count"));
  }
  SideRuns eager_side, traced_side;
  add_totals(pairs, eager_side, traced_side);
  const double measured = std::clamp(static_cast<double>(record.mark_ps) / 1000, 0.0, 1000.0);
  std::vector<const session::ComparisonRun*> eager_runs, traced_runs;
  for (const auto& [left, right] : pairs.with_events) eager_runs.push_back(left), traced_runs.push_back(right);
  const std::vector<int64_t> eager_beside = times_beside(pairs, false), traced_beside = times_beside(pairs, true);
  const double eager_mark = mark_time(eager_runs, pairs.eager_marks, eager_beside, measured);
  const double traced_mark = mark_time(traced_runs, pairs.traced_marks, traced_beside, measured);
  std::vector<Run> eager, traced;
  size_t device_events = 0;
  for (const auto& [left, right] : pairs.with_events) {
    if (device_events > kMaxDeviceEvents) break;
    const int64_t from = std::min(left->start_ns, right->start_ns), to = std::max(left->end_ns, right->end_ns);
    const auto events = device_events_between(reader, from, to);
    device_events += events.size();
    eager.push_back(run_of(*left, events, eager_mark));
    traced.push_back(run_of(*right, events, traced_mark));
    c.eager.lost += left->lost;
    c.traced.lost += right->lost;
  }
  const Groups groups(reader, record, eager, traced);
  c.rows = groups.rows();
  const size_t most = std::max<size_t>(1, kMaxCells / std::max<size_t>(1, c.rows.size()));
  if (eager.size() > most) {
    eager.erase(eager.begin() + static_cast<ptrdiff_t>(most), eager.end());
    traced.erase(traced.begin() + static_cast<ptrdiff_t>(most), traced.end());
  }
  c.pairs_with_events = static_cast<uint32_t>(eager.size());
  c.pairs = c.pairs_with_events + static_cast<uint32_t>(pairs.without.size());
  for (const Run& run : eager) eager_side.with_events.push_back(one_of(run, groups));
  for (const Run& run : traced) traced_side.with_events.push_back(one_of(run, groups));
  for (size_t i = 0; i < eager.size() && !eager_beside.empty(); ++i) {
    eager_side.with_events[i].beside = eager_beside[i];
    traced_side.with_events[i].beside = traced_beside[i];
  }
  fill(c, eager_side, traced_side);
  check_repetitions(c, reader, record, eager, traced);
  if (eager.empty()) return;
  const size_t shown = nearest(eager, traced, c);
  add_sizes(reader, eager[shown], groups, c.rows);
  add_sizes(reader, traced[shown], groups, c.rows);
  for (const auto& [side, run] : {std::pair{&c.eager, &eager[shown]}, {&c.traced, &traced[shown]}}) {
    side->ops = run->ops.size();
    side->picture = picture_of(reader, *run, [&](size_t op) { return groups.row_of(*run, op); });
  }
}

void say_tracing(Comparison& c, const session::Reader& reader) {
  std::vector<const session::TraceRecord*> traces = traces_within(reader, c.function);
  if (const session::TraceRecord* own = reader.trace(c.trace)) traces.push_back(own);
  for (const session::TraceRecord* trace : traces) {
    if (!session::is_possible_time(trace->start_ns) || !session::is_possible_time(trace->end_ns)) return;
    if (session::kLatestTime - c.tracing_ns < trace->end_ns - trace->start_ns) return;
    c.tracing_ns += trace->end_ns - trace->start_ns;
  }
  if (traces.empty()) return;
  each_record(reader.calls(), [] {}, [&](const session::CallRecord& call) {
    c.trace_calls += call.trace == c.trace && call.outcome != CallOutcome::kFailed;
  });
  const double saving = -c.difference.mean;
  if (saving > 0 && c.known_within < 1 && c.tracing_ns >= 0 && c.other_work.empty())
    c.worth_from = static_cast<uint64_t>(std::min(std::ceil(static_cast<double>(c.tracing_ns) / saving), 1e18));
}

Comparison comparison_of(const session::Reader& reader, const ComparisonRecord& record) {
  Comparison c;
  c.function = record.function;
  c.trace = record.trace;
  c.call = record.call;
  c.source = record.source;
  c.stopped = record.stopped;
  c.error = record.error;
  c.simulated = record.simulated;
  c.notes = record.notes;
  const session::FunctionRecord* function = reader.function(record.function);
  if (function) c.name = function->name;
  c.eager.name = "eager";
  c.traced.name = is_of_another_engine(function, reader.contents().processes) ? "compiled" : "traced";
  measure(c, reader, record);
  say_tracing(c, reader);
  for (const Lane& lane : c.traced.picture.lanes)
    if (lane.kind == Lane::Kind::kStream && c.device.empty())
      for (const session::DeviceNameRecord& device : reader.contents().device_names)
        if (device.number.valid() && device.name != "/cpu:0" && c.device.empty()) c.device = device.description;
  return c;
}

}  // namespace

std::vector<Comparison> comparisons_of(const session::Reader& reader) {
  std::vector<Comparison> all;
  for (const ComparisonRecord& record : reader.contents().comparisons) all.push_back(comparison_of(reader, record));
  return all;
}

}  // namespace footlight::explain
