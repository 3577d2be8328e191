// Members of tf.Tensor that have files of their own; put in place by init_tensor.
#pragma once

namespace footlight::python {

void init_dlpack();
void init_tensor_members();

}  // namespace footlight::python
