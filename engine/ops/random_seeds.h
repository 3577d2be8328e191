// Chooses the seeds of a random op by TensorFlow's rules, and keeps the state behind them.
#pragma once

#include "engine/ops/builder.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace footlight::random {

// tf.random.set_seed: restarts every sequence.
void set_global_seed(int64_t seed);
// The same while a graph is built: its seed alone.
void set_graph_seed(std::optional<int64_t> seed);

// The global seed, its sequence and the streams of eager ops, kept to be put back (with kept_states.h).
class KeptSeeds {
 public:
  KeptSeeds();
  void put_back() const;

 private:
  std::shared_ptr<const void> kept_;
};

// Whether an op without any seed is an error: tf.config.experimental.enable_op_determinism.
void want_seeds(bool);

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

// The attributes `seed`, `seed2` and `_state` of one application of `op`. Eager applications with equal seeds continue
// one stream per dtype of `input` and results; in a graph each has its own.
void set_seeds(Attrs& attrs, const Op& op, std::optional<int64_t> op_seed, DType input = DType::kInvalid);

}  // namespace footlight::random
