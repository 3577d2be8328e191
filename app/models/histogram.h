// How often durations of each length occurred, in equal steps of the logarithm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace footlight::app {

struct Histogram {
  int64_t least = 0, greatest = 0;
  std::vector<uint64_t> bars;
};
// Takes durations with their numbers of occurrences. If all are equal, it has one bar.
Histogram histogram_of(const std::vector<std::pair<int64_t, uint64_t>>& steps, int64_t least, int64_t greatest,
                       size_t bars);

}  // namespace footlight::app
