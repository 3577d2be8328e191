// The contents of a symbolic vector of dimensions, as far as they are known while tracing.
#pragma once

#include "engine/tensor/tensor.h"

namespace footlight::trace {

// `tf.stack([n, 3])` has a last dimension of 3. Unknown rank where nothing is known.
Shape known_part_of_shape(const Tensor&);

}  // namespace footlight::trace
