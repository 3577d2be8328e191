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

}  // namespace

Sweep sweep(std::span<const Interval> intervals, int64_t start, int64_t end) {
  Sweep result;
  result.total = std::max<int64_t>(end - start, 0);
  int32_t last = -1;
  std::vector<Edge> edges;
  for (size_t i = 0; i < intervals.size(); ++i) {
    const Interval& one = intervals[i];
    last = std::max(last, one.what);
    const int64_t from = std::max(one.start, start), to = std::min(one.end, end);
    if (from >= to) continue;
    edges.push_back({from, true, static_cast<uint32_t>(i)});
    edges.push_back({to, false, static_cast<uint32_t>(i)});
  }
  result.given.resize(static_cast<size_t>(last + 1));
  std::ranges::sort(edges, {}, &Edge::at);
  std::set<uint32_t, Before> covering(Before{intervals});
  int64_t at = start;
  const auto give = [&](int64_t until) {
    const int64_t time = until - at;
    at = until;
    if (time <= 0) return;
    if (covering.empty()) {
      result.shares[static_cast<size_t>(Share::kUnexplained)] += time;
      return;
    }
    const Interval& one = intervals[*covering.begin()];
    result.shares[static_cast<size_t>(one.share)] += time;
    if (one.what >= 0) result.given[static_cast<size_t>(one.what)] += time;
  };
  for (const Edge& edge : edges) {
    give(edge.at);
    if (edge.begins) covering.insert(edge.interval);
    else covering.erase(edge.interval);
  }
  give(std::max(end, start));
  return result;
}

Share most_of(std::span<const Interval> intervals, int64_t start, int64_t end, Share without) {
  Sweep swept = sweep(intervals, start, end);
  swept.shares[static_cast<size_t>(without)] = -1;
  return static_cast<Share>(std::ranges::max_element(swept.shares) - swept.shares.begin());
}

}  // namespace footlight::explain
