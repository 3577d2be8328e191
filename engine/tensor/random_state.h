// The position of a random op in its stream: each stateful random op of a program, and each generator, has one.
#pragma once

#include "engine/tensor/tensor.h"

#include <cstdint>
#include <mutex>

namespace footlight {

class RandomState : public Resource {
 public:
  // Seeds of 0 and 0 are taken from the operating system.
  RandomState(uint64_t seed, uint64_t seed2);

  struct Stream {
    uint64_t seed, seed2;
    uint64_t skipped;  // blocks of four words that are already used
  };
  // Reserves the next `blocks` blocks.
  Stream reserve(uint64_t blocks);

  // Every state restarts its stream with its next block (an unseeded one starts another stream).
  static void restart_all();

  // The state of a generator, to save and restore (kept_states.h).
  struct Position { Stream stream; bool restarts; };  // restarts: with its next block
  Position position();
  void go_to(const Position& position);
  ~RandomState() override {
    if (noted) [[unlikely]] noted(this, false);
  }
  static void (*noted)(RandomState*, bool alive);  // null: nobody wants to know

 private:
  void begin();

  std::mutex mutex_;
  Stream stream_;
  const bool unseeded_;
  uint64_t restarts_seen_;
};

}  // namespace footlight
