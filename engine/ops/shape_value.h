// The contents of a symbolic vector of dimensions, as far as known: `tf.stack([n, 3])` has a last
// dimension of 3.
#pragma once

#include "engine/tensor/tensor.h"

namespace footlight {

// Installed by tracing; null where no graph is ever built.
extern Shape (*known_part_of_shape)(const Tensor&);

}  // namespace footlight
