// tf.Variable as the rest of this folder sees it.
#pragma once

#include "engine/python/dtype_object.h"
#include "engine/python/objects.h"

namespace footlight::python {

extern PyTypeObject* variable_type;
bool is_variable(PyObject*);
Tensor variable_handle(PyObject*);        // the resource tensor
Tensor variable_value(PyObject*);         // reads it: an op
DType variable_dtype(PyObject*);
const Shape& variable_shape(PyObject*);
bool variable_trainable(PyObject*);
std::string variable_name(PyObject*);     // "w:0"

}  // namespace footlight::python
