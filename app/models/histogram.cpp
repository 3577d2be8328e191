// Durations under a nanosecond count as one.
#include "app/models/histogram.h"

#include <algorithm>
#include <cmath>

namespace footlight::app {

Histogram histogram_of(const std::vector<std::pair<int64_t, uint64_t>>& steps, int64_t least, int64_t greatest,
                       size_t bars) {
  Histogram made;
  if (steps.empty() || bars == 0) return made;
  made.least = least;
  made.greatest = greatest;
  made.bars.assign(greatest > least ? bars : 1, 0);
  const auto place = [](int64_t ns) { return std::log(static_cast<double>(std::max<int64_t>(1, ns))); };
  const double from = place(least), to = place(greatest), count = static_cast<double>(made.bars.size());
  for (const auto& [ns, times] : steps) {
    const double at = to > from ? (place(ns) - from) / (to - from) : 0;
    made.bars[static_cast<size_t>(std::clamp(at * count, 0.0, count - 1))] += times;
  }
  return made;
}

}  // namespace footlight::app
