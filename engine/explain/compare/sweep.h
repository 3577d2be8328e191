// Divides a run's time among the categories: every moment belongs to the first category that covers it, so the shares
// add up to the run by construction.
#pragma once

#include "engine/explain/compare/share.h"

#include <array>
#include <span>
#include <vector>

namespace footlight::explain {

// Something that took time. Intervals may overlap, lie partly outside of the run and come in any order.
struct Interval {
  int64_t start = 0, end = 0;
  Share share = Share::kUnexplained;
  int32_t what = -1;      // the caller's number of it: the time that it was given is in Sweep::given
};

struct Sweep {
  std::array<int64_t, kShares> shares{};
  std::vector<int64_t> given;   // by Interval::what: the moments that belong to it
  int64_t total = 0;
};

// Sweeps [start, end). Where intervals of one category overlap, the moment belongs to the one that began last, which is
// the innermost.
Sweep sweep(std::span<const Interval> intervals, int64_t start, int64_t end);

// The stretches of [start, end) that belong to one interval each, by start; nothing is known between them.
std::vector<Interval> stretches(std::span<const Interval> intervals, int64_t start, int64_t end);

// What most of [start, end) belongs to, leaving out `without`.
Share most_of(std::span<const Interval> intervals, int64_t start, int64_t end, Share without);

}  // namespace footlight::explain
