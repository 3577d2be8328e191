// Functions through which the layers that run ops, record gradients and build graphs steer this one. All are null where
// nobody has installed them.
#pragma once

#include "engine/ops/row.h"

#include <functional>
#include <span>

namespace footlight {
class Builder;
}

namespace footlight::ops {

// The body of a loop: computes the next value from the number of the step and the value so far.
using LoopStep = std::function<Tensor(const Tensor& number, const Tensor& value)>;

struct Hooks {
  // engine/eager installs the next three (eager::init).

  // Called by apply() when no graph is being built.
  Builder* eager_builder = nullptr;
  // Called for each op that a thread applies, eagerly or traced, while tapes or accumulators record on it.
  void (*op_applied)(const OpRow&, const Attrs&, std::span<const Tensor> inputs,
                     std::span<const Tensor> outputs) = nullptr;
  // Whether a tape watches one of these tensors, or would watch it (the handle of a trainable variable). Asked before
  // work that only tapes need.
  bool (*recorders_watch)(std::span<const Tensor>) = nullptr;

  // engine/trace installs all others (trace::init).

  // Returns the contents of a symbolic vector of dimensions, as far as they are known: for `tf.stack([n, 3])`, a last
  // dimension of 3. Called by shape functions.
  Shape (*known_part_of_shape)(const Tensor&) = nullptr;
  // Adds a loop to the graph being built that runs `step` for each number below `count`. Called by expansions.
  Tensor (*build_loop)(const Tensor& count, const Tensor& value, const LoopStep& step) = nullptr;
  // The gradient functions of ops that hold graphs. Called by the tape.
  GradientFunction cond_gradient = nullptr;
  GradientFunction loop_gradient = nullptr;
  GradientFunction call_gradient = nullptr;
  // Called if a symbolic tensor is used outside of its trace: throws an error that names the trace.
  void (*leaked)(const Tensor&) = nullptr;
};
extern constinit Hooks hooks;

}  // namespace footlight::ops
