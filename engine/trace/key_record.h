// Records the keys of one function's calls and traces: each distinct key once, as the dispatcher compared it.
#pragma once

#include "engine/base/recording.h"
#include "engine/keys/key.h"

#include <algorithm>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace footlight::trace {

class KeyRecords {
 public:
  // The id of a key in the session being recorded; a new key is added, with `names(words)` for its numbers. Returns
  // none if nothing is recorded, or the function has had too many distinct keys.
  template <class NamesOf>
  KeyId id_of(FunctionId function, std::span<const uint64_t> words, NamesOf&& names) {
    if (recording_ == recording_number.load(std::memory_order_relaxed) && std::ranges::equal(last_.words, words))
      return last_.id;
    if (find(words)) return last_.id;
    return add(function, names(words));
  }

 private:
  struct Known { std::vector<uint64_t> words; KeyId id; };
  static constexpr size_t kMaxKnownKeys = 1 << 16;
  // Makes the key the latest one. True if it is known, or cannot be added.
  bool find(std::span<const uint64_t> words);
  KeyId add(FunctionId function, const std::shared_ptr<const keys::Names>& names);

  uint32_t recording_ = 0;
  Known last_;
  std::unordered_multimap<uint64_t, Known> known_;  // keyed by hash
};

}  // namespace footlight::trace
