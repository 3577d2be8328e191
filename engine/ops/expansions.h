// Ops of our own in terms of TensorFlow's: what a file has in place of them.
#pragma once

#include "engine/ops/builder.h"

#include <functional>
#include <span>
#include <vector>

namespace footlight {

// Builds with apply(). Returns no tensors where the op cannot be expressed for these inputs: shapes and axes that
// have to be known are not.
using Expansion = std::vector<Tensor> (*)(std::span<const Tensor> inputs, const Attrs&);

// Null for an op that TensorFlow has.
Expansion expansion_of(const OpRow&);

// A loop in the graph being built: `step` for each number below `count`, on what the one before gave. Installed by
// engine/trace, which builds loops.
using LoopStep = std::function<Tensor(const Tensor& number, const Tensor& value)>;
extern Tensor (*repeated)(const Tensor& count, const Tensor& value, const LoopStep& step);

}  // namespace footlight
