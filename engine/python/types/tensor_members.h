// Members of tf.Tensor that have files of their own; put in place by init_tensor.
#pragma once

#include "engine/python/interpreter/ref.h"

namespace footlight::python {

void init_dlpack();
void init_tensor_members();

// The member that the program gave tensors under this name; empty if it gave none.
Ref late_member(PyObject* tensor, PyObject* name);
void init_late_members(PyObject* module);

}  // namespace footlight::python
