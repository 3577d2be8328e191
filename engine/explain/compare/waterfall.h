// The parts of a comparison: from one total to the other, adding up exactly.
#pragma once

#include "engine/explain/compare/comparison.h"

namespace footlight::explain {

// What time that nothing explains is called in a comparison of recordings.
inline constexpr const char* kNotRecorded = "not recorded";

// What each side has of each part, by repetition with events. Only what a comparison is made of, so that tests can
// give it numbers of their own.
struct SideRuns {
  struct One {
    int64_t total = 0;
    int64_t beside = -1;                     // what repetitions without events took just before and after; -1: unknown
    std::array<int64_t, kShares> shares{};
    int64_t call = 0;                        // part of the share of dispatch
    std::vector<int64_t> rows;               // by row: part of the kernels' shares, or of the launches'
    int64_t launches_in_rows = 0;
  };
  std::vector<One> with_events;
  std::vector<int64_t> totals;               // of the repetitions without that ran beside those with, by pair
};

// The mean of the middle half, by `order`; and the 5th and 95th of 100.
Spread spread_of(const std::vector<double>& values, const std::vector<int64_t>& order);

// Fills in totals, shares, rows' times, difference and parts. `rows` has a group for each.
void fill(Comparison& comparison, const SideRuns& eager, const SideRuns& traced);

}  // namespace footlight::explain
