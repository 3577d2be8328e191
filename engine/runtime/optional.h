// Tensors that may be missing, as values.
#pragma once

namespace footlight::runtime {

// Adds the kernels of the ops named Optional... Calling it again does nothing.
void register_optional_kernels();

}  // namespace footlight::runtime
