// Lists of tensors as values: what a loop saves for its gradient.
#pragma once

namespace footlight::runtime {

// Adds the kernels of TensorListPushBack, TensorListPopBack, EmptyTensorList and a list's ZerosLike. Calling it again
// does nothing.
void register_list_kernels();

}  // namespace footlight::runtime
