// Optionals: variant tensors that hold values, or nothing.
#pragma once

#include "engine/tensor/tensor.h"

#include <vector>

namespace footlight::runtime {

// An optional with these values.
Tensor optional_of(std::vector<Tensor> values);
// An optional without values.
Tensor empty_optional();

// Adds the kernels of the ops named Optional... Calling it again does nothing.
void register_optional_kernels();

}  // namespace footlight::runtime
