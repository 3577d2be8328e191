// Computes the part of an op's time that its inner ops took.
#pragma once

#include "engine/session/events.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <vector>

namespace footlight::query {

inline int64_t end_of(const session::OpColumns& e, size_t i) { return std::max(e.start_ns[i], e.end_ns[i]); }

// Sorts by end, inner ops first: mostly they are in this order already.
inline void order_by_end(const session::OpColumns& e, std::vector<uint32_t>& order) {
  const auto before = [&e](uint32_t a, uint32_t b) {
    const int64_t end_a = end_of(e, a), end_b = end_of(e, b);
    return end_a != end_b ? end_a < end_b : e.start_ns[a] > e.start_ns[b];
  };
  order.resize(e.size());
  std::iota(order.begin(), order.end(), 0u);
  if (!std::is_sorted(order.begin(), order.end(), before)) std::stable_sort(order.begin(), order.end(), before);
}

// Computes self times from a thread's events in the order of their ends: an op claims events that ended since it began
// and are not claimed yet.
class Nesting {
 public:
  // Adds an op, and returns the time that its inner ops took.
  int64_t close(int64_t start, int64_t end) {
    int64_t inner = 0;
    while (!done_.empty() && done_.back().start >= start) {
      inner += done_.back().took;
      done_.pop_back();
    }
    done_.push_back({start, end - start});
    // Events that are unclaimed for this long mostly stay so: neighbours are claimed together from then on.
    if (done_.size() > static_cast<size_t>(kMaxDone)) {
      for (size_t i = 0; i < static_cast<size_t>(kMaxDone) / 2; i += 2)
        done_[i / 2] = {done_[i].start, done_[i].took + done_[i + 1].took};
      done_.erase(done_.begin() + kMaxDone / 4, done_.begin() + kMaxDone / 2);
    }
    return inner;
  }

 private:
  static constexpr ptrdiff_t kMaxDone = 1 << 16;
  struct Done { int64_t start, took; };
  std::deque<Done> done_;
};

}  // namespace footlight::query
