// The random words of tf.data: seeds and what is drawn with them, number for number as in TensorFlow.
#pragma once

#include "kernels/functors/philox.h"

#include <cstdint>
#include <mutex>
#include <utility>

namespace footlight::data {

class RandomWords {
 public:
  RandomWords(uint64_t seed, uint64_t seed2) : philox_(seed, seed2) {}
  uint32_t next() {
    if (at_ == Philox::kWords) {
      words_ = philox_.next();
      at_ = 0;
    }
    return words_.w[at_++];
  }

  void state(class State&);

 private:
  Philox philox_;
  Philox::Words words_{};
  int at_ = Philox::kWords;
};

// The seeds of each iteration over a stage that draws numbers.
class Seeds {
 public:
  // 0 and 0: from the operating system. `again`: every iteration gets other ones.
  Seeds(uint64_t seed, uint64_t seed2, bool again);
  std::pair<uint64_t, uint64_t> next();
  void state(class State&);

 private:
  std::mutex mutex_;
  uint64_t seed_, seed2_;
  RandomWords words_;
  const bool again_;
};

}  // namespace footlight::data
