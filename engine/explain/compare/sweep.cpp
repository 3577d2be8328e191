// One pass over the moments at which an interval begins or ends.
#include "engine/explain/compare/sweep.h"

#include <algorithm>
#include <set>

namespace footlight::explain {
namespace {

struct Edge {
  int64_t at = 0;
  bool begins = false;
  uint32_t interval = 0;
};

// Those that cover the moment of the pass, the one that has it first.
struct Before {
  std::span<const Interval> all;
  bool operator()(uint32_t a, uint32_t b) const {
    const Interval &x = all[a], &y = all[b];
    if (x.share != y.share) return x.share < y.share;
    if (x.start != y.start) return x.start > y.start;
    return a < b;
  }
};

// Calls give(from, to, interval) for every stretch, in order; null: nothing covers it.
template <class Give>
void each_stretch(std::span<const Interval> intervals, int64_t start, int64_t end, Give&& give) {
  std::vector<Edge> edges;
  for (size_t i = 0; i < intervals.size(); ++i) {
    const Interval& one = intervals[i];
    const int64_t from = std::max(one.start, start), to = std::min(one.end, end);
    if (from >= to) continue;
    edges.push_back({from, true, static_cast<uint32_t>(i)});
    edges.push_back({to, false, static_cast<uint32_t>(i)});
  }
  std::ranges::sort(edges, {}, &Edge::at);
  std::set<uint32_t, Before> covering(Before{intervals});
  int64_t at = start;
  const auto up_to = [&](int64_t until) {
    if (until > at) give(at, until, covering.empty() ? nullptr : &intervals[*covering.begin()]);
    at = std::max(at, until);
  };
  for (const Edge& edge : edges) {
    up_to(edge.at);
    if (edge.begins) covering.insert(edge.interval);
    else covering.erase(edge.interval);
  }
  up_to(std::max(end, start));
}

}  // namespace

Sweep sweep(std::span<const Interval> intervals, int64_t start, int64_t end) {
  Sweep result;
  result.total = std::max<int64_t>(end - start, 0);
  int32_t last = -1;
  for (const Interval& one : intervals) last = std::max(last, one.what);
  result.given.resize(static_cast<size_t>(last + 1));
  each_stretch(intervals, start, end, [&](int64_t from, int64_t to, const Interval* one) {
    result.shares[static_cast<size_t>(one ? one->share : Share::kUnexplained)] += to - from;
    if (one && one->what >= 0) result.given[static_cast<size_t>(one->what)] += to - from;
  });
  return result;
}

std::vector<Interval> stretches(std::span<const Interval> intervals, int64_t start, int64_t end) {
  std::vector<Interval> found;
  const Interval* last = nullptr;
  each_stretch(intervals, start, end, [&](int64_t from, int64_t to, const Interval* one) {
    if (one && one == last) found.back().end = to;
    else if (one) found.push_back({from, to, one->share, one->what});
    last = one;
  });
  return found;
}

Share most_of(std::span<const Interval> intervals, int64_t start, int64_t end, Share without) {
  Sweep swept = sweep(intervals, start, end);
  swept.shares[static_cast<size_t>(without)] = -1;
  return static_cast<Share>(std::ranges::max_element(swept.shares) - swept.shares.begin());
}

}  // namespace footlight::explain
