// Means of the middle half, which add, and the bars made of them.
#include "engine/explain/compare/waterfall.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace footlight::explain {
namespace {

constexpr double kNothing = 1e-3;  // ns: what sums of means are off by
constexpr double kSmall = 0.02;   // of the difference: parts below are joined

using Runs = std::vector<SideRuns::One>;
using Of = std::function<double(const SideRuns::One&)>;

// Runs of recordings are no pairs, and may be fewer on one side: those are taken again.
template <class Visit>
void each_pair(size_t eager, size_t traced, Visit&& visit) {
  for (size_t i = 0; eager && traced && i < std::max(eager, traced); ++i) visit(i % eager, i % traced);
}

// The order in which the middle half is taken: a repetition is quick or slow together with those beside it.
std::vector<int64_t> totals_of(const Runs& runs) {
  std::vector<int64_t> totals;
  for (const SideRuns::One& run : runs) totals.push_back(run.total + std::max<int64_t>(run.beside, 0));
  return totals;
}

Spread spread_over(const Runs& runs, const Of& of) {
  std::vector<double> values;
  for (const SideRuns::One& run : runs) values.push_back(of(run));
  return spread_of(values, totals_of(runs));
}

// The means are each side's own, so that parts add up; how they spread is seen in pairs.
Spread difference_of(const Runs& eager, const Runs& traced, const Of& of) {
  std::vector<double> values;
  std::vector<int64_t> order;
  each_pair(eager.size(), traced.size(), [&](size_t left, size_t right) {
    values.push_back(of(traced[right]) - of(eager[left]));
    order.push_back(static_cast<int64_t>(order.size()));
  });
  Spread spread = spread_of(values, order);
  spread.mean = spread_over(traced, of).mean - spread_over(eager, of).mean;
  return spread;
}

// A mean of values, and the square of what it may be off by.
struct Sample {
  double count = 0, mean = 0, squares = 0;
  template <class T>
  explicit Sample(const std::vector<T>& values) : count(static_cast<double>(values.size())) {
    for (const T value : values) mean += static_cast<double>(value) / count;
    for (const T value : values) squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
  }
  double error() const { return squares / (count - 1) / count; }
};

void fill_side(Side& side, const SideRuns& runs) {
  std::vector<double> totals(runs.totals.begin(), runs.totals.end());
  side.total = spread_of(totals, runs.totals);
  side.recorded = spread_over(runs.with_events, [](const auto& r) { return static_cast<double>(r.total); });
  // With nothing else known, the repetitions with events stand for all.
  if (runs.totals.empty()) side.total = side.recorded;
  // The parts are of the repetitions with events, so the total that they add up to is that of their neighbours.
  else if (!runs.with_events.empty() && runs.with_events[0].beside >= 0) {
    side.total.mean = spread_over(runs.with_events, [](const auto& r) { return static_cast<double>(r.beside); }).mean;
    side.total.p5 = std::min(side.total.p5, side.total.mean);
    side.total.p95 = std::max(side.total.p95, side.total.mean);
  }
  for (size_t s = 0; s < kShares; ++s) {
    side.share_spread[s] =
        spread_over(runs.with_events, [s](const auto& r) { return static_cast<double>(r.shares[s]); });
    side.shares[s] = side.share_spread[s].mean;
  }
  if (runs.with_events.empty()) return;
  side.recording = side.recorded.mean - side.total.mean;
  side.recorder = side.shares[static_cast<size_t>(Share::kRecording)];
  side.unexplained = side.shares[static_cast<size_t>(Share::kUnexplained)] + side.recorder - side.recording;
}

class Waterfall {
 public:
  Waterfall(Comparison& c, const SideRuns& eager, const SideRuns& traced) : c_(c), eager_(eager), traced_(traced) {}

  void make() {
    for (const Share share :
         {Share::kPython, Share::kConversion, Share::kInput, Share::kTracing, Share::kMachineCode, Share::kGuards})
      add_share(share);
    add({.kind = Part::Kind::kShare,
         .share = Share::kDispatch,
         .name = name_of(Share::kDispatch),
         .meaning = meaning_of(Share::kDispatch)},
        [](const auto& r) { return static_cast<double>(r.shares[static_cast<size_t>(Share::kDispatch)] - r.call); });
    add_share(Share::kAllocation);
    add({.kind = Part::Kind::kShare,
         .share = Share::kLaunch,
         .name = name_of(Share::kLaunch),
         .meaning = meaning_of(Share::kLaunch)},
        [](const auto& r) {
          return static_cast<double>(r.shares[static_cast<size_t>(Share::kLaunch)] - r.launches_in_rows);
        });
    for (const Share share : {Share::kWaiting, Share::kDeviceCopy}) add_share(share);
    for (const Group group : {Group::kFolded, Group::kPruned, Group::kHoisted, Group::kJoined, Group::kFused,
                              Group::kSame, Group::kOnlyTraced, Group::kUnmatched, Group::kCompiled, Group::kCounts,
                              Group::kOnlyLeft, Group::kOnlyRight, Group::kOneRecorded})
      add_group(group);
    Part call{.kind = Part::Kind::kCall, .name = "call"};
    if (c_.recorded) call.meaning = "Traced calls outside of their ops: binding, finding the trace, the executor";
    add(std::move(call), [](const auto& r) { return static_cast<double>(r.call); });
    add_unexplained();
    join_small();
  }

 private:
  void add(Part part, const Of& of) {
    part.eager = spread_over(eager_.with_events, of).mean;
    part.traced = spread_over(traced_.with_events, of).mean;
    part.difference = difference_of(eager_.with_events, traced_.with_events, of);
    if (part.eager == 0 && part.traced == 0) return;
    c_.parts.push_back(std::move(part));
  }

  void add_share(Share share) {
    std::string meaning = meaning_of(share);
    if (c_.recorded && share == Share::kPython)
      meaning = "Outside of calls and ops: Python, and the dispatch of eager ops";
    add({.kind = Part::Kind::kShare, .share = share, .name = name_of(share), .meaning = meaning},
        [share](const auto& r) { return static_cast<double>(r.shares[static_cast<size_t>(share)]); });
  }

  // Kernels by what became of their ops; those that belong to no row count as the same.
  void add_group(Group group) {
    add({.kind = Part::Kind::kGroup, .group = group, .name = name_of(group), .meaning = meaning_of(group)},
        [this, group](const auto& r) {
      double sum = 0, others = 0;
      for (size_t i = 0; i < r.rows.size(); ++i) (c_.rows[i].group == group ? sum : others) += part_of_row(r, i);
      if (group == Group::kSame) sum = static_cast<double>(kernels(r) + r.launches_in_rows) - others;
      return sum;
    });
  }

  // The time of a row. For an op that ran more or less often on the right side, it is the part that its count explains:
  // as much for each run as on the left. The rest is the same op taking more or less time.
  double part_of_row(const SideRuns::One& r, size_t i) const {
    const Row& row = c_.rows[i];
    const bool is_right = std::ranges::any_of(traced_.with_events, [&](const auto& one) { return &one == &r; });
    if (row.group != Group::kCounts || !is_right || !row.eager_count) return static_cast<double>(r.rows[i]);
    return row.eager.mean * static_cast<double>(row.traced_count) / static_cast<double>(row.eager_count);
  }

  static int64_t kernels(const SideRuns::One& run) {
    return run.shares[static_cast<size_t>(Share::kHostKernel)] +
           run.shares[static_cast<size_t>(Share::kDeviceKernel)];
  }

  // What the totals differ by beside all this: moments of which nothing was recorded, and how much longer or shorter
  // the repetitions with events took, without the recorder's own work, than those without.
  void add_unexplained() {
    double sum = 0;
    for (const Part& part : c_.parts) sum += part.difference.mean;
    Part part{.kind = Part::Kind::kShare, .share = Share::kUnexplained, .name = name_of(Share::kUnexplained)};
    part.difference = difference_of(eager_.with_events, traced_.with_events, [](const auto& r) {
      return static_cast<double>(r.shares[static_cast<size_t>(Share::kUnexplained)]);
    });
    const double rest = c_.difference.mean - sum;
    part.difference.p5 += rest - part.difference.mean;
    part.difference.p95 += rest - part.difference.mean;
    part.difference.mean = rest;
    if (c_.recorded) part.name = kNotRecorded, part.meaning = "Nothing was recorded of what ran then";
    part.eager = c_.eager.unexplained;
    part.traced = c_.traced.unexplained;
    if (std::abs(part.eager) + std::abs(part.traced) > kNothing) c_.parts.push_back(std::move(part));
  }

  void join_small() {
    const double limit = kSmall * std::abs(c_.difference.mean);
    const auto small = [limit](const Part& part) { return std::abs(part.difference.mean) < limit; };
    if (std::ranges::count_if(c_.parts, small) < 2) return;
    Part others{.kind = Part::Kind::kOthers, .name = "small parts"};
    for (const Part& part : c_.parts) {
      if (!small(part)) continue;
      others.eager += part.eager;
      others.traced += part.traced;
      others.difference.mean += part.difference.mean;
      others.difference.p5 += part.difference.p5;
      others.difference.p95 += part.difference.p95;
      others.joined.push_back(part);
    }
    std::erase_if(c_.parts, small);
    c_.parts.push_back(std::move(others));
  }

  Comparison& c_;
  const SideRuns &eager_, &traced_;
};

void fill_rows(Comparison& c, const SideRuns& eager, const SideRuns& traced) {
  for (size_t i = 0; i < c.rows.size(); ++i) {
    const Of of = [i](const SideRuns::One& r) { return static_cast<double>(r.rows[i]); };
    c.rows[i].eager = spread_over(eager.with_events, of);
    c.rows[i].traced = spread_over(traced.with_events, of);
    c.rows[i].difference = difference_of(eager.with_events, traced.with_events, of);
  }
}

}  // namespace

Spread spread_of(const std::vector<double>& values, const std::vector<int64_t>& order) {
  if (values.empty()) return {};
  std::vector<size_t> by(values.size());
  std::iota(by.begin(), by.end(), size_t{0});
  std::ranges::stable_sort(by, {}, [&](size_t i) { return order[i]; });
  const size_t from = values.size() / 4, to = values.size() - from;
  double sum = 0;
  for (size_t i = from; i < to; ++i) sum += values[by[i]];
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  const auto at = [&](double share) {
    return sorted[static_cast<size_t>(std::lround(share * static_cast<double>(sorted.size() - 1)))];
  };
  return {sum / static_cast<double>(to - from), at(0.05), at(0.95)};
}

void fill(Comparison& c, const SideRuns& eager, const SideRuns& traced) {
  fill_side(c.eager, eager);
  fill_side(c.traced, traced);
  fill_rows(c, eager, traced);
  std::vector<double> differences;
  std::vector<int64_t> order;
  each_pair(eager.totals.size(), traced.totals.size(), [&](size_t left, size_t right) {
    differences.push_back(static_cast<double>(traced.totals[right] - eager.totals[left]));
    order.push_back(static_cast<int64_t>(order.size()));
  });
  c.difference = spread_of(differences, order);
  c.difference.mean = c.traced.total.mean - c.eager.total.mean;
  if (c.recorded) {
    const Sample left(eager.totals), right(traced.totals);
    if (left.count > 1 && right.count > 1)
      c.known_within =
          1.96 * std::sqrt(left.error() + right.error()) / std::max(std::abs(c.difference.mean), 1e-3);
  } else if (const Sample pairs(differences); pairs.count > 1) {
    c.known_within = 1.96 * std::sqrt(pairs.error()) / std::max(std::abs(c.difference.mean), 1e-3);
  }
  c.unexplained = std::max(Comparison::unexplained_share(c.eager), Comparison::unexplained_share(c.traced));
  if (!eager.with_events.empty() && !traced.with_events.empty()) Waterfall(c, eager, traced).make();
}

}  // namespace footlight::explain
