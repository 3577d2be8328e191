// A 128-bit hash for contents that are compared by hash alone: graphs, large constants, layouts. Its values are stored
// in recordings, so they must never change. Not safe against an adversary.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

namespace footlight {

struct Hash128 {
  uint64_t high = 0, low = 0;
  friend constexpr auto operator<=>(const Hash128&, const Hash128&) = default;

  std::string hex() const {
    std::string text(32, '0');
    for (int i = 0; i < 32; ++i) {
      const uint64_t half = i < 16 ? high : low;
      text[static_cast<size_t>(i)] = "0123456789abcdef"[half >> (60 - i % 16 * 4) & 15];
    }
    return text;
  }
};

class Hasher128 {
 public:
  void add(uint64_t word) {
    a_ = mix(a_ ^ word * 0x9e3779b97f4a7c15ull);
    b_ = mix(b_ + (word ^ 0xd6e8feb86659fd93ull)) + a_;
    ++words_;
  }
  void add(Hash128 hash) {
    add(hash.high);
    add(hash.low);
  }
  // The length is hashed too, so that adjacent strings do not run into each other.
  void add(std::string_view text) {
    add(text.size());
    for (size_t at = 0; at < text.size(); at += 8) {
      uint64_t word = 0;
      std::memcpy(&word, text.data() + at, text.size() - at < 8 ? text.size() - at : 8);
      add(word);
    }
  }
  Hash128 result() const { return {mix(a_ ^ words_), mix(b_ ^ mix(a_ + words_))}; }

 private:
  static constexpr uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
  }
  uint64_t a_ = 0x243f6a8885a308d3ull, b_ = 0x13198a2e03707344ull, words_ = 0;
};

inline Hash128 hash128(std::string_view bytes) {
  Hasher128 hasher;
  hasher.add(bytes);
  return hasher.result();
}

}  // namespace footlight

template <>
struct std::hash<footlight::Hash128> {
  size_t operator()(footlight::Hash128 hash) const noexcept { return hash.low; }
};
