// tf.TensorShape, and shapes from what a user writes.
#pragma once

#include "engine/python/types/objects.h"

namespace footlight::python {

extern PyTypeObject* shape_type;
PyObject* shape_object(const Shape&);  // new reference; throws
bool is_shape(PyObject*);
const Shape& shape_of(PyObject*);  // is_shape() only
// None (unknown rank), TensorShape, an int, a sequence of ints, None and known scalar tensors, a known 1-D
// tensor. Throws.
Shape shape_from_object(PyObject*);
// A dimension: an integer, None or -1 given as None. Throws kType, kValue.
int64_t dimension_from_object(PyObject*);

void init_shape();

}  // namespace footlight::python
