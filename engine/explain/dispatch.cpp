// Exact hits by hash, covering traces by scan, remembered until a trace is added.
#include "engine/explain/dispatch.h"

#include <algorithm>

namespace footlight::explain {

namespace {
constexpr size_t kMostRemembered = 4096;  // non-exact hits; a flood of different shapes must not grow for ever
}

int DispatchTable::remember(std::span<const uint64_t> words, int trace) {
  last_words_.assign(words.begin(), words.end());
  return last_ = trace;
}

int DispatchTable::find_slowly(std::span<const uint64_t> words) {
  const uint64_t hash = hash_words(words);
  for (auto [at, end] = exact_.equal_range(hash); at != end; ++at)
    if (keys_[static_cast<size_t>(at->second)].same(words)) return remember(words, at->second);
  for (auto [at, end] = covered_.equal_range(hash); at != end; ++at)
    if (std::ranges::equal(at->second.words, words)) return remember(words, at->second.trace);
  int best = kMiss;
  for (size_t i = 0; i < keys_.size(); ++i) {
    if (dead_[i] || !is_subtype(words, keys_[i].words)) continue;
    if (best == kMiss || is_subtype(keys_[i].words, keys_[static_cast<size_t>(best)].words)) best = static_cast<int>(i);
  }
  if (best == kMiss) return kMiss;
  if (covered_.size() >= kMostRemembered) covered_.clear();
  covered_.emplace(hash, Remembered{{words.begin(), words.end()}, best});
  return remember(words, best);
}

int DispatchTable::add(Key key) {
  const int index = static_cast<int>(keys_.size());
  exact_.emplace(key.hash, index);
  keys_.push_back(std::move(key));
  dead_.push_back(false);
  covered_.clear();  // the new trace may be the more specific one
  last_ = kMiss;
  return index;
}

void DispatchTable::forget(int trace) {
  const Key& key = keys_[static_cast<size_t>(trace)];
  for (auto [at, end] = exact_.equal_range(key.hash); at != end; ++at) {
    if (at->second != trace) continue;
    exact_.erase(at);
    break;
  }
  dead_[static_cast<size_t>(trace)] = true;
  covered_.clear();
  last_ = kMiss;
}

int DispatchTable::nearest(const Key& key, std::vector<Difference>& differing) const {
  int best = kMiss;
  for (int i = static_cast<int>(keys_.size()) - 1; i >= 0; --i) {
    std::vector<Difference> found = differences(keys_[static_cast<size_t>(i)], key);
    if (best != kMiss && found.size() >= differing.size()) continue;
    best = i;
    differing = std::move(found);
  }
  return best;
}

std::vector<uint64_t> DispatchTable::relaxed(std::span<const uint64_t> words) const {
  std::vector<uint64_t> result(words.begin(), words.end());
  for (size_t i = 0; i < keys_.size(); ++i) {
    if (dead_[i]) continue;
    if (auto general = generalise(result, keys_[i].words)) result = std::move(*general);
  }
  return result;
}

}  // namespace footlight::explain
