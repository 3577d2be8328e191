// Sums over durations: count, total, least and greatest; a histogram on a logarithmic scale; exact quantiles.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace footlight::query {

struct Sums {
  uint64_t count = 0;
  int64_t total = 0, min = 0, max = 0;

  void add(int64_t ns) {
    min = count ? std::min(min, ns) : ns;
    max = count ? std::max(max, ns) : ns;
    total += ns;
    ++count;
  }
  void add(const Sums& o) {
    if (!o.count) return;
    min = count ? std::min(min, o.min) : o.min;
    max = count ? std::max(max, o.max) : o.max;
    total += o.total;
    count += o.count;
  }
  friend bool operator==(const Sums&, const Sums&) = default;
};

// Durations by size, 32 steps per doubling: each is 3 % wide; a few kilobytes, whatever the data.
class LogHistogram {
 public:
  void add(int64_t ns) {
    const size_t at = bucket(static_cast<uint64_t>(std::max<int64_t>(0, ns)));
    if (counts_.size() <= at) counts_.resize(at + 1);
    ++counts_[at];
  }
  // (middle of the step, count), ascending; empty steps are left out.
  std::vector<std::pair<int64_t, uint64_t>> steps() const {
    std::vector<std::pair<int64_t, uint64_t>> all;
    for (size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i]) all.emplace_back(static_cast<int64_t>(least(i) + (least(i + 1) - least(i)) / 2), counts_[i]);
    }
    return all;
  }
  size_t bytes() const { return counts_.capacity() * sizeof(uint64_t); }

 private:
  static constexpr int kBits = 5;
  static size_t bucket(uint64_t v) {
    if (v < (1u << kBits)) return static_cast<size_t>(v);
    const int octave = std::bit_width(v) - 1 - kBits;
    return (static_cast<size_t>(octave + 1) << kBits) + static_cast<size_t>((v >> octave) - (1u << kBits));
  }
  static uint64_t least(size_t bucket) {
    if (bucket < (2u << kBits)) return bucket;
    const size_t octave = (bucket >> kBits) - 1;
    return ((uint64_t{bucket} & ((1u << kBits) - 1)) + (1u << kBits)) << octave;
  }
  std::vector<uint64_t> counts_;
};

// All durations of something, equal ones counted together: durations are small numbers, so millions of them have few
// distinct values. Quantiles are exact.
class Durations {
 public:
  void add(int64_t ns) {
    sums_.add(ns);
    recent_.push_back(ns);
    if (recent_.size() >= std::clamp(2 * runs_.size(), kMinBatch, kBatch)) settle();
  }
  const Sums& sums() const { return sums_; }
  uint64_t count() const { return sums_.count; }
  // Number `rank` of the sorted durations, from 0.
  int64_t at(uint64_t rank) {
    settle();
    for (const auto& [ns, times] : runs_) {
      if (rank < times) return ns;
      rank -= times;
    }
    return sums_.max;
  }
  // With an even count, this is the mean of the two values in the middle, as in SQL.
  int64_t median() {
    const int64_t low = at((sums_.count - 1) / 2);
    return low + (at(sums_.count / 2) - low) / 2;
  }
  // (duration, how often), ascending.
  const std::vector<std::pair<int64_t, uint64_t>>& runs() {
    settle();
    return runs_;
  }
  int64_t quantile(double share) {
    const auto rank = static_cast<uint64_t>(std::ceil(share * static_cast<double>(sums_.count)));
    return at(std::max<uint64_t>(rank, 1) - 1);
  }

 private:
  static constexpr size_t kMinBatch = 1 << 10, kBatch = 1 << 15;  // a table may have hundreds of these
  void settle() {
    if (recent_.empty()) return;
    std::sort(recent_.begin(), recent_.end());
    std::vector<std::pair<int64_t, uint64_t>> merged;
    merged.reserve(runs_.size() + 64);
    auto old = runs_.begin();
    for (size_t i = 0; i < recent_.size();) {
      size_t next = i;
      while (next < recent_.size() && recent_[next] == recent_[i]) ++next;
      while (old != runs_.end() && old->first < recent_[i]) merged.push_back(*old++);
      uint64_t times = next - i;
      if (old != runs_.end() && old->first == recent_[i]) times += (old++)->second;
      merged.emplace_back(recent_[i], times);
      i = next;
    }
    merged.insert(merged.end(), old, runs_.end());
    runs_ = std::move(merged);
    recent_.clear();
  }

  Sums sums_;
  std::vector<int64_t> recent_;
  std::vector<std::pair<int64_t, uint64_t>> runs_;  // ascending
};

}  // namespace footlight::query
