// The class above tf.Tensor, and objects of the user's that stand for a tensor or a variable by deriving from it or by
// having a method __tf_tensor__, as the variables of Keras do.
#pragma once

#include "engine/python/types/objects.h"

#include <optional>

namespace footlight::python {

extern PyTypeObject* tensor_like_type;
void init_tensor_like();

// Whether its class defines __tf_tensor__(dtype, name).
bool converts_itself(PyObject*);
// The result of that method as a tensor; throws kType if it cannot be one.
Tensor converted_by_itself(PyObject*, DType);

// The handle of the variable that an object stands for (`_should_act_as_resource_variable` and `handle`), or nothing.
std::optional<Tensor> handle_behind(PyObject*);

}  // namespace footlight::python
