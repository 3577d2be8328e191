// Ops of our own in terms of TensorFlow's: what a file has in place of them.
#pragma once

#include "engine/ops/builder.h"

#include <span>
#include <vector>

namespace footlight {

// Builds with apply(). Returns no tensors where the op cannot be expressed for these inputs: shapes and axes that
// have to be known are not.
using Expansion = std::vector<Tensor> (*)(std::span<const Tensor> inputs, const Attrs&);

// Null for an op that TensorFlow has.
Expansion expansion_of(const OpRow&);

}  // namespace footlight
