// The contents of a symbolic vector of dimensions, as far as they are known while tracing.
#pragma once

#include "engine/tensor/tensor.h"

namespace footlight::trace {

// For `tf.stack([n, 3])`, the last dimension is 3. The rank is unknown if nothing is known.
Shape known_part_of_shape(const Tensor&);

}  // namespace footlight::trace
