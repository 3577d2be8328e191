// Numbers over time: for each counter its value by columns of pixels. Chunks that are narrower than a column are known
// by their sums; wider ones are decoded when they are drawn.
#pragma once

#include "engine/query/cancel.h"
#include "engine/session/reader.h"

#include <functional>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace footlight::query {

struct CounterPicture {
  uint32_t track = 0;       // TrackId
  uint64_t count = 0;       // values recorded
  double least = 0, greatest = 0;   // over the whole run
  int64_t greatest_at = 0;
  std::vector<float> values;        // the greatest within each column, else the one that holds there; NaN before any
};

// The greatest value of a counter in a range: one recorded there, or the one that holds at its begin.
struct CounterPeak {
  uint32_t track = 0;
  double value = 0;
  int64_t at = 0;
};

class Counters {
 public:
  // Adds the next chunk of the store. `shown` maps a counter's track to the one that represents it.
  using Shown = std::function<uint32_t(session::TrackId)>;
  void add(const std::vector<session::CounterRecord>& chunk, uint32_t number, const Shown& shown);
  std::vector<CounterPicture> draw(const session::CounterStore& store, int64_t from, int64_t to, int columns,
                                   const Cancel& cancel) const;
  // Peaks of all counters that have a value in [from, to).
  std::vector<CounterPeak> peaks(const session::CounterStore& store, int64_t from, int64_t to,
                                 const Cancel& cancel) const;
  bool empty() const { return counters_.empty(); }
  size_t bytes() const;

 private:
  // One counter's values in one chunk.
  struct Part {
    uint32_t chunk = 0;
    int64_t first = 0, last = 0;
    double greatest = 0, last_value = 0;
    int64_t greatest_at = 0;
  };
  struct Counter {
    std::vector<Part> parts;
    uint64_t count = 0;
    double least = std::numeric_limits<double>::infinity(), greatest = -std::numeric_limits<double>::infinity();
    int64_t greatest_at = 0;
  };
  bool is_of(const session::CounterRecord& c, uint32_t counter) const {
    const auto shown = shown_.find(c.track.value);
    return (shown == shown_.end() ? c.track.value : shown->second) == counter;
  }
  std::map<uint32_t, Counter> counters_;
  std::unordered_map<uint32_t, uint32_t> shown_;  // for tracks that another one represents
};

}  // namespace footlight::query
