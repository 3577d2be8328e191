// Expresses ops that TensorFlow does not have by its own ops, for files that TensorFlow reads.
#pragma once

#include "engine/ops/builder.h"

#include <span>
#include <vector>

namespace footlight {

// Builds the replacement with apply(). Returns no tensors if it needs shapes or axes that are not known.
using Expansion = std::vector<Tensor> (*)(std::span<const Tensor> inputs, const Attrs&);

// Null for an op that TensorFlow has.
Expansion expansion_of(const OpRow&);

}  // namespace footlight
