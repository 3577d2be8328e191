// The values of all variables and the positions of all random streams, kept to be put back: a call is repeated with
// them. Variables and streams are known from watch_states() on; without it each costs a branch.
#pragma once

#include "engine/tensor/random_state.h"
#include "engine/tensor/variable.h"

#include <vector>

namespace footlight {

// Tracks variables and random streams that are created from now on.
void watch_states();

class KeptStates {
 public:
  // Copies of all values; throws kResourceExhausted, before it copies, if they take more than `most_bytes`.
  explicit KeptStates(uint64_t most_bytes);
  ~KeptStates();
  KeptStates(const KeptStates&) = delete;
  KeptStates& operator=(const KeptStates&) = delete;

  // Each variable gets a fresh copy, so that it can be changed in place. What died meanwhile is left out.
  void put_back() const;

 private:
  struct Value {
    uint64_t id;                 // id of the variable
    Tensor value;                // empty: it had none
  };
  struct Position {
    uint64_t id;
    RandomState::Position at;
  };
  std::vector<Value> values_;
  std::vector<Position> positions_;
};

}  // namespace footlight
