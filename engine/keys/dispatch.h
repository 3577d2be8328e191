// The dispatch table of one traced function: which of its traces serves a call.
#pragma once

#include "engine/keys/key.h"

#include <set>
#include <unordered_map>

namespace footlight::keys {

class DispatchTable {
 public:
  static constexpr int kMiss = -1;

  // The trace for a call with this key. Tries, in this order: the last one used, an exact match, a remembered covering
  // trace, the most specific covering trace (the oldest if there are several).
  int find(std::span<const uint64_t> words) {
    const int last = find_last(words);
    return last != kMiss ? last : find_slowly(words);
  }
  // The last trace used, if its key is the same.
  int find_last(std::span<const uint64_t> words) const {
    if (last_ >= 0 && last_words_.size() == words.size() &&
        std::equal(words.begin(), words.end(), last_words_.begin())) [[likely]]
      return last_;
    return kMiss;
  }

  // Adds the trace made for this key, at the lowest free index.
  int add(Key key);
  // Removes a trace; its index can be reused.
  void forget(int trace);
  size_t size() const { return by_age_.size(); }
  // An upper bound of all indexes.
  size_t index_end() const { return slots_.size(); }
  const Key& key(int trace) const { return slots_[static_cast<size_t>(trace)].key; }
  // Indexes in insertion order.
  const std::vector<int>& by_age() const { return by_age_; }
  // The least recently used trace; kMiss if there are no traces.
  int least_recently_used() const;

  // The existing trace with the fewest differing leaves, the latest if there are several; kMiss if there is none.
  int nearest(const Key& key, std::vector<Difference>& differing) const;

  // The key that `reduce_retracing` traces for: this one relaxed against every comparable one.
  std::vector<uint64_t> relaxed(std::span<const uint64_t> words) const;

 private:
  struct Slot {
    Key key;
    uint64_t used = 0;  // time of its last use, or of its addition
  };
  int find_slowly(std::span<const uint64_t> words);
  int use(std::span<const uint64_t> words, int trace);

  int last_ = kMiss;
  std::vector<uint64_t> last_words_;
  std::vector<Slot> slots_;
  std::set<int> free_;
  std::vector<int> by_age_;
  std::unordered_map<uint64_t, std::vector<int>> by_kind_;  // the same, by keys without shapes: to relax
  std::vector<int> general_;  // those whose keys may cover others
  uint64_t clock_ = 0;
  std::unordered_multimap<uint64_t, int> exact_;
  struct Covered { std::vector<uint64_t> words; int trace; };
  std::unordered_multimap<uint64_t, Covered> covered_;
};

}  // namespace footlight::keys
