// Exact hits by hash, covering traces by a scan that is cached until a trace is added or removed.
#include "engine/keys/dispatch.h"

#include "engine/keys/nearness.h"

#include <algorithm>

namespace footlight::keys {

namespace {
constexpr size_t kMaxCovered = 4096;  // remembered non-exact hits; capped against a flood of different shapes
}

namespace {

// Whether the key may cover another one: it leaves a size open, or a trace type of the user's decides.
bool is_general(std::span<const uint64_t> words) {
  for (size_t at = 0; at < words.size();) {
    const Item item = read(words, at);
    if (item.token == Token::kCustom || item.token == Token::kAny) return true;
    if (item.token != Token::kTensor && item.token != Token::kVariable) continue;
    const TensorSpec spec = item.spec();
    if (!spec.has_rank || std::ranges::find(spec.sizes, kUnknownSize) != spec.sizes.end()) return true;
  }
  return false;
}

}  // namespace

int DispatchTable::use(std::span<const uint64_t> words, int trace) {
  last_words_.assign(words.begin(), words.end());
  slots_[static_cast<size_t>(trace)].used = ++clock_;
  return last_ = trace;
}

int DispatchTable::find_slowly(std::span<const uint64_t> words) {
  const uint64_t hash = hash_words(words);
  for (auto [at, end] = exact_.equal_range(hash); at != end; ++at)
    if (key(at->second).same(words)) return use(words, at->second);
  for (auto [at, end] = covered_.equal_range(hash); at != end; ++at)
    if (std::ranges::equal(at->second.words, words)) return use(words, at->second.trace);
  int best = kMiss;
  for (int trace : general_)
    if (is_subtype(words, key(trace).words) && (best == kMiss || is_subtype(key(trace).words, key(best).words)))
      best = trace;
  if (best == kMiss) return kMiss;
  if (covered_.size() >= kMaxCovered) covered_.clear();
  covered_.emplace(hash, Covered{{words.begin(), words.end()}, best});
  return use(words, best);
}

int DispatchTable::add(Key key) {
  int index = static_cast<int>(slots_.size());
  if (free_.empty()) slots_.emplace_back();
  else index = free_.extract(free_.begin()).value();
  exact_.emplace(key.hash, index);
  slots_[static_cast<size_t>(index)] = {std::move(key), ++clock_};
  by_age_.push_back(index);
  const std::span<const uint64_t> words = slots_[static_cast<size_t>(index)].key.words;
  if (is_general(words)) general_.push_back(index);
  by_kind_[hash_without_shapes(words)].push_back(index);
  covered_.clear();  // the new trace may be the more specific one
  last_ = kMiss;
  return index;
}

void DispatchTable::forget(int trace) {
  for (auto [at, end] = exact_.equal_range(key(trace).hash); at != end; ++at) {
    if (at->second != trace) continue;
    exact_.erase(at);
    break;
  }
  std::erase_if(covered_, [&](const auto& entry) { return entry.second.trace == trace; });
  if (last_ == trace) last_ = kMiss;
  by_age_.erase(std::ranges::find(by_age_, trace));
  std::erase(general_, trace);
  const auto kind = by_kind_.find(hash_without_shapes(key(trace).words));
  std::erase(kind->second, trace);
  if (kind->second.empty()) by_kind_.erase(kind);
  slots_[static_cast<size_t>(trace)] = {};
  free_.insert(trace);
  while (!free_.empty() && *free_.rbegin() + 1 == static_cast<int>(slots_.size())) {
    free_.erase(std::prev(free_.end()));
    slots_.pop_back();
  }
  if (slots_.size() * 4 < slots_.capacity()) {  // shrink a table that was once large
    slots_.shrink_to_fit();
    by_age_.shrink_to_fit();
    exact_.rehash(0);
    covered_.rehash(0);
    by_kind_.rehash(0);
  }
}

int DispatchTable::least_recently_used() const {
  const auto oldest = std::ranges::min_element(
      by_age_, {}, [this](int trace) { return slots_[static_cast<size_t>(trace)].used; });
  return oldest == by_age_.end() ? kMiss : *oldest;
}

int DispatchTable::nearest(const Key& wanted, std::vector<Difference>& differing) const {
  int best = kMiss;
  for (auto at = by_age_.rbegin(); at != by_age_.rend(); ++at) {
    std::vector<Difference> found = differences(key(*at), wanted);
    if (best != kMiss && !is_nearer(found, differing)) continue;
    best = *at;
    differing = std::move(found);
  }
  return best;
}

std::vector<uint64_t> DispatchTable::relaxed(std::span<const uint64_t> words) const {
  std::vector<uint64_t> result(words.begin(), words.end());
  const auto kind = by_kind_.find(hash_without_shapes(words));
  if (kind == by_kind_.end()) return result;
  for (int trace : kind->second)
    if (auto general = generalise(result, key(trace).words)) result = std::move(*general);
  return result;
}

}  // namespace footlight::keys
