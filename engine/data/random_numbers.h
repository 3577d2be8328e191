// tf.data's random words: seeds and the numbers drawn from them, equal to TensorFlow's.
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

// Seeds for each iteration over a stage that draws random numbers.
class Seeds {
 public:
  // Seeds 0 and 0 come from the operating system. `again`: each iteration gets new ones.
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
