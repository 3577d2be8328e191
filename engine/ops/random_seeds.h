// Chooses the seeds of a random op by TensorFlow's rules, and keeps the state behind them.
#pragma once

#include "engine/ops/builder.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace footlight::random {

// tf.random.set_seed: restarts every sequence.
void set_global_seed(int64_t seed);
// Sets the seed of the graph that is being built, and no other.
void set_graph_seed(std::optional<int64_t> seed);

// A snapshot of the global seed, its sequence and the streams of eager ops, which can be restored (with kept_states.h).
class KeptSeeds {
 public:
  KeptSeeds();
  void put_back() const;

 private:
  std::shared_ptr<const void> kept_;
};

// Makes an op without any seed an error, as tf.config.experimental.enable_op_determinism does.
void require_seeds(bool);

struct Seeds {
  int64_t seed = 0, seed2 = 0;
};
// A tf.Graph has a global seed of its own, none at first, which functions traced in it share.
// global and op seed | result
// none, none         | 0, 0: from the operating system
// none, s            | 87654321, s
// g, none            | g, the next of a sequence that starts with g (eager), or the op's number in its graph
// g, s               | g, s
Seeds seeds_for_op(std::optional<int64_t> op_seed);

// Sets the attributes `seed`, `seed2` and `_state` of one application of `op`. Eager applications with equal seeds
// continue one stream per dtype of `input` and results; in a graph each has its own.
void set_seeds(Attrs& attrs, const Op& op, std::optional<int64_t> op_seed, DType input = DType::kInvalid);

}  // namespace footlight::random
