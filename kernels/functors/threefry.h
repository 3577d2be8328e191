// Threefry 2x32-20, the second counter-based generator of the stateless ops, and how its words become numbers.
#pragma once

#include "kernels/functors/common.h"

#include <cstdint>
#include <span>

namespace footlight {

struct Threefry {
  uint32_t key[2] = {0, 0};

  explicit Threefry(uint64_t k) : key{static_cast<uint32_t>(k), static_cast<uint32_t>(k >> 32)} {}

  // The two words of block `counter`, the first in the low half.
  uint64_t block(uint64_t counter) const {
    constexpr int kRotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
    const uint32_t keys[3] = {key[0], key[1], 0x1BD11BDA ^ key[0] ^ key[1]};
    uint32_t a = static_cast<uint32_t>(counter) + keys[0];
    uint32_t b = static_cast<uint32_t>(counter >> 32) + keys[1];
    for (uint32_t group = 0; group < 5; ++group) {
      for (uint32_t r = 0; r < 4; ++r) {
        const int by = kRotations[(group & 1) * 4 + r];
        a += b;
        b = (b << by | b >> (32 - by)) ^ a;
      }
      a += keys[(group + 1) % 3];
      b += keys[(group + 2) % 3] + group + 1;
    }
    return static_cast<uint64_t>(b) << 32 | a;
  }
};

// Finds the word and block for a 32-bit element: the first even dimension (or else the largest) is split into pairs,
// and the two words of a block serve the two of a pair.
class ThreefryPlaces {
 public:
  explicit ThreefryPlaces(std::span<const int64_t> dims) {
    size_t cut = dims.size();
    for (size_t d = 0; d < dims.size() && cut == dims.size(); ++d)
      if (dims[d] % 2 == 0) cut = d;
    for (size_t d = 0; d < dims.size() && (cut == dims.size() || dims[cut] % 2); ++d)
      if (cut == dims.size() || dims[d] > dims[cut]) cut = d;
    if (cut < dims.size()) size_ = dims[cut];
    for (size_t d = cut + 1; d < dims.size(); ++d) inner_ *= dims[d];
    half_ = (size_ + 1) / 2;
    cut_ = cut;
  }
  uint64_t block(int64_t i) const {
    const int64_t along = i / inner_ % size_;
    return static_cast<uint64_t>((i / inner_ / size_ * half_ + along / 2) * inner_ + i % inner_);
  }
  bool second(int64_t i) const { return i / inner_ % size_ % 2; }
  size_t cut() const { return cut_; }  // the split dimension; the rank for a scalar
  int64_t half() const { return half_; }

 private:
  size_t cut_;
  int64_t size_ = 1, inner_ = 1, half_ = 1;
};

inline uint32_t threefry_word(const Threefry& t, uint64_t start, const ThreefryPlaces& places, int64_t i) {
  const uint64_t block = t.block(start + places.block(i));
  return static_cast<uint32_t>(places.second(i) ? block >> 32 : block);
}

}  // namespace footlight
