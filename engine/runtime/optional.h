// Tensors that may be missing, as values.
#pragma once

#include "engine/tensor/tensor.h"

#include <vector>

namespace footlight::runtime {

// Variant scalars: an optional with these values, and an empty one.
Tensor optional_of(std::vector<Tensor> values);
Tensor no_optional();

// Adds the kernels of the ops named Optional... Calling it again does nothing.
void register_optional_kernels();

}  // namespace footlight::runtime
