// A set of names of one tree, as a bit set over their dense ids; grows as names with higher ids are added.
#pragma once

#include "engine/autograph/tree.h"
#include "engine/base/small_vector.h"

namespace footlight::autograph {

class NameSet {
 public:
  bool has(uint32_t id) const { return id / 64 < words_.size() && (words_[id / 64] >> (id % 64) & 1); }
  bool has(const Name* name) const { return has(name->id); }
  void add(uint32_t id) {
    if (id / 64 >= words_.size()) words_.resize(id / 64 + 1, 0);
    words_[id / 64] |= uint64_t{1} << (id % 64);
  }
  void add(const Name* name) { add(name->id); }
  void remove(const Name* name) {
    if (name->id / 64 < words_.size()) words_[name->id / 64] &= ~(uint64_t{1} << (name->id % 64));
  }
  void add_all(const NameSet& o) {
    if (o.words_.size() > words_.size()) words_.resize(o.words_.size(), 0);
    for (uint32_t i = 0; i < o.words_.size(); ++i) words_[i] |= o.words_[i];
  }
  void remove_all(const NameSet& o) {
    for (uint32_t i = 0; i < words_.size() && i < o.words_.size(); ++i) words_[i] &= ~o.words_[i];
  }
  void keep_only(const NameSet& o) {
    for (uint32_t i = 0; i < words_.size(); ++i) words_[i] &= i < o.words_.size() ? o.words_[i] : 0;
  }
  bool has_more_than(const NameSet& o) const {
    NameSet rest = *this;
    rest.remove_all(o);
    return !rest.empty();
  }
  bool empty() const {
    for (uint64_t word : words_)
      if (word) return false;
    return true;
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (uint32_t i = 0; i < words_.size(); ++i)
      for (uint64_t word = words_[i]; word; word &= word - 1)
        visit(i * 64 + static_cast<uint32_t>(__builtin_ctzll(word)));
  }

 private:
  SmallVector<uint64_t, 4> words_;
};

}  // namespace footlight::autograph
