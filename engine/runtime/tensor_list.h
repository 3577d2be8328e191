// Lists of tensors as values: a loop saves values for its gradient in them.
#pragma once

namespace footlight::runtime {

// Adds the kernels of TensorListPushBack, TensorListPopBack, EmptyTensorList and a list's ZerosLike. Calling it again
// does nothing.
void register_list_kernels();

}  // namespace footlight::runtime
