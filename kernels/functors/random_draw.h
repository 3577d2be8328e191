// How Philox words become numbers of a distribution, as in TensorFlow's CPU kernels: which word serves which
// element, and which element is converted to which type first, determines the digits.
#pragma once

#include "kernels/functors/philox.h"

#include <cstdint>
#include <type_traits>

namespace footlight {

// More than any element can need, so that what one op consumes never depends on the values.
inline constexpr uint64_t kBlocksPerElement = 256;

// The results of one block of words: `kCount` results of type T.
template <class T>
struct Uniform {
  static constexpr int kCount = 4;
  static void draw(Philox& philox, T* out) {
    const Philox::Words words = philox.next();
    for (int i = 0; i < 4; ++i) out[i] = from(words.w[i]);
  }
  static T from(uint32_t word) {
    if constexpr (std::is_same_v<T, float>) {
      return unit_float(word);
    } else {  // half floats use their own mantissa width
      constexpr int kMantissa = std::is_same_v<T, Float16> ? 10 : 7;
      const uint16_t bits = static_cast<uint16_t>((std::is_same_v<T, Float16> ? 15 : 127) << kMantissa |
                                                  (word & ((1u << kMantissa) - 1)));
      T value;
      std::memcpy(static_cast<void*>(&value), &bits, sizeof bits);
      return T(static_cast<float>(value) - 1.0f);
    }
  }
};
template <>
struct Uniform<double> {
  static constexpr int kCount = 2;
  static void draw(Philox& philox, double* out) {
    const Philox::Words words = philox.next();
    for (int i = 0; i < 2; ++i) out[i] = unit_double(words.w[2 * i], words.w[2 * i + 1]);
  }
};

template <class T>
struct Normal {
  static constexpr int kCount = 4;
  static void draw(Philox& philox, T* out) {
    const Philox::Words words = philox.next();
    for (int i = 0; i < 4; i += 2) {
      float pair[2];
      normal_pair(words.w[i], words.w[i + 1], pair);
      out[i] = T(pair[0]);
      out[i + 1] = T(pair[1]);
    }
  }
};
template <>
struct Normal<double> {
  static constexpr int kCount = 2;
  static void draw(Philox& philox, double* out) {
    const Philox::Words words = philox.next();
    normal_pair(words.w[0], words.w[1], words.w[2], words.w[3], out);
  }
};

// Reads words one at a time.
class WordReader {
 public:
  explicit WordReader(Philox philox) : philox_(philox) {}
  uint32_t next() {
    if (used_ == 4) {
      words_ = philox_.next();
      used_ = 0;
    }
    return words_.w[used_++];
  }

 private:
  Philox philox_;
  Philox::Words words_{};
  int used_ = 4;
};

// Draws results of a distribution one at a time, the last of each block first.
template <class Distribution, class T>
class FromTheEnd {
 public:
  T next(Philox& philox) {
    if (left_ == 0) {
      Distribution::draw(philox, values_);
      left_ = Distribution::kCount;
    }
    return values_[--left_];
  }

 private:
  T values_[Distribution::kCount];
  int left_ = 0;
};

// The stream of a pair of seeds in the stateless ops: one Philox block under a fixed key mixes them.
inline Philox mixed(uint64_t seed, uint64_t seed2) {
  Philox mixer;
  mixer.key[0] = 0x3ec8f720;
  mixer.key[1] = 0x02461e29;
  mixer.counter[0] = static_cast<uint32_t>(seed);
  mixer.counter[1] = static_cast<uint32_t>(seed >> 32);
  mixer.counter[2] = static_cast<uint32_t>(seed2);
  mixer.counter[3] = static_cast<uint32_t>(seed2 >> 32);
  const Philox::Words words = mixer.next();
  Philox out;
  out.key[0] = words.w[0];
  out.key[1] = words.w[1];
  out.counter[2] = words.w[2];
  out.counter[3] = words.w[3];
  return out;
}

inline Philox philox_at(uint64_t key, uint64_t low, uint64_t high) {
  Philox out(key, high);
  out.counter[0] = static_cast<uint32_t>(low);
  out.counter[1] = static_cast<uint32_t>(low >> 32);
  return out;
}

}  // namespace footlight
