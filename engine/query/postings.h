// The chunks in which a key occurs, and how often in each: two or three bytes per chunk. And a table from keys to
// entries that does not allocate per key.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace footlight::query {

class Postings {
 public:
  // Chunks must be added in ascending order.
  void add(uint32_t chunk, uint32_t times = 1) {
    if (count_ && chunk == chunk_) {
      count_ += times;
      return;
    }
    flush();
    chunk_ = chunk;
    count_ = times;
  }
  // Calls visit(chunk, times), ascending.
  template <class Visit>
  void visit(Visit&& visit) const {
    uint32_t chunk = 0;
    for (size_t at = 0; at < bytes_.size();) {
      chunk += number(at);
      const uint32_t times = number(at);
      visit(chunk, times);
    }
    if (count_) visit(chunk_, count_);
  }
  std::vector<uint32_t> chunks() const {
    std::vector<uint32_t> all;
    visit([&](uint32_t chunk, uint32_t) { all.push_back(chunk); });
    return all;
  }
  size_t bytes() const { return bytes_.capacity(); }

 private:
  void flush() {
    if (!count_) return;
    put(chunk_ - written_);
    put(count_);
    written_ = chunk_;
  }
  void put(uint32_t v) {
    for (; v >= 0x80; v >>= 7) bytes_.push_back(static_cast<char>(v | 0x80));
    bytes_.push_back(static_cast<char>(v));
  }
  uint32_t number(size_t& at) const {
    uint32_t v = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<uint8_t>(bytes_[at++]);
      v |= static_cast<uint32_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return v;
    }
  }

  std::string bytes_;
  uint32_t written_ = 0;             // the last chunk in bytes_
  uint32_t chunk_ = 0, count_ = 0;   // the chunk still being counted
};

// Maps 64-bit keys to positions 0, 1, 2 ... in insertion order: open addressing, a power of two of slots.
class KeyTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t find(uint64_t key) const {
    if (slots_.empty()) return kNone;
    for (size_t at = slot(key);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at] == kNone) return kNone;
      if (keys_[slots_[at]] == key) return slots_[at];
    }
  }
  uint32_t add(uint64_t key) {
    if (keys_.size() * 4 >= slots_.size() * 3) grow();
    size_t at = slot(key);
    for (; slots_[at] != kNone; at = (at + 1) & (slots_.size() - 1)) {
      if (keys_[slots_[at]] == key) return slots_[at];
    }
    slots_[at] = static_cast<uint32_t>(keys_.size());
    keys_.push_back(key);
    return slots_[at];
  }
  const std::vector<uint64_t>& keys() const { return keys_; }
  size_t size() const { return keys_.size(); }
  size_t bytes() const { return keys_.capacity() * sizeof(uint64_t) + slots_.capacity() * sizeof(uint32_t); }

 private:
  size_t slot(uint64_t key) const {
    key ^= key >> 32;
    return static_cast<size_t>((key * 0x9E3779B97F4A7C15ull) >> (64 - std::countr_zero(slots_.size())));
  }
  void grow() {
    slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, kNone);
    for (uint32_t i = 0; i < keys_.size(); ++i) {
      size_t at = slot(keys_[i]);
      while (slots_[at] != kNone) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = i;
    }
  }

  std::vector<uint64_t> keys_;
  std::vector<uint32_t> slots_;
};

}  // namespace footlight::query
