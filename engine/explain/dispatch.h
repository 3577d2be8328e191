// The dispatch table of one traced function: which of its traces serves a call.
#pragma once

#include "engine/explain/key.h"

#include <unordered_map>

namespace footlight::explain {

class DispatchTable {
 public:
  static constexpr int kMiss = -1;

  // The trace for a call with this key. In order: the last one used, an exact match, a remembered covering one, else
  // the most specific covering one, then the oldest.
  int find(std::span<const uint64_t> words) {
    if (last_ >= 0 && last_words_.size() == words.size() &&
        std::equal(words.begin(), words.end(), last_words_.begin()))
      return last_;
    return find_slowly(words);
  }

  // The trace made for this key. Keys are kept in the order of addition, their indexes never change.
  int add(Key key);
  void forget(int trace);                // evicted: never found again
  size_t size() const { return keys_.size(); }
  const Key& key(int trace) const { return keys_[static_cast<size_t>(trace)]; }
  bool alive(int trace) const { return !dead_[static_cast<size_t>(trace)]; }

  // The existing trace with the fewest differing leaves; of several, the latest. kMiss when there is none.
  int nearest(const Key& key, std::vector<Difference>& differing) const;

  // What `reduce_retracing` traces for: the key relaxed against every comparable one.
  std::vector<uint64_t> relaxed(std::span<const uint64_t> words) const;

 private:
  int find_slowly(std::span<const uint64_t> words);
  int remember(std::span<const uint64_t> words, int trace);

  int last_ = kMiss;
  std::vector<uint64_t> last_words_;
  std::vector<Key> keys_;
  std::vector<bool> dead_;
  std::unordered_multimap<uint64_t, int> exact_;
  struct Remembered { std::vector<uint64_t> words; int trace; };
  std::unordered_multimap<uint64_t, Remembered> covered_;
};

}  // namespace footlight::explain
