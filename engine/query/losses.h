// Finds where op events were lost: the recorder numbers them by thread, including dropped ones, so a gap in the numbers
// is a loss between its neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace footlight::query {

struct Loss {
  int64_t from = 0, to = 0;  // end of the last event before, start of the first one after
  uint64_t events = 0;
  uint32_t thread = 0;
};

class Losses {
 public:
  // The next event of a thread, in the order in which they were recorded; `id` as in OpColumns.
  void add(uint32_t thread, uint64_t id, int64_t start, int64_t end) {
    const uint64_t whose = id >> 32, number = id & UINT32_MAX;
    const auto [it, first] = last_.try_emplace(whose);
    Last& last = it->second;
    if (!first && number > last.number + 1) note({last.end, start, number - last.number - 1, thread});
    last = {number, end};
  }
  // Sorted by thread and time. Neighbours are joined once there are many.
  const std::vector<Loss>& all() const { return all_; }
  uint64_t events() const { return events_; }
  size_t bytes() const { return all_.capacity() * sizeof(Loss); }

 private:
  static constexpr size_t kMaxListedLosses = 1 << 16;
  void note(const Loss& loss);

  struct Last {
    uint64_t number = 0;
    int64_t end = 0;
  };
  std::unordered_map<uint64_t, Last> last_;
  std::vector<Loss> all_;
  size_t limit_ = kMaxListedLosses;
  uint64_t events_ = 0;
};

}  // namespace footlight::query
