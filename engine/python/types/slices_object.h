// tf.IndexedSlices as the rest of this folder sees it: the class is Python, the engine's sparse gradients become its
// objects and its objects become sparse gradients.
#pragma once

#include "engine/python/types/objects.h"

namespace footlight::python {

PyObject* slices_class();  // borrowed
bool is_slices(PyObject*);
// A gradient as users get it: a tensor, or an IndexedSlices. New reference; throws.
PyObject* wrap_gradient(const Tensor&);
// A gradient that a user gives: an IndexedSlices, or whatever becomes a tensor (of `hint`, when it has no dtype).
Tensor gradient_from(PyObject*, DType hint);

}  // namespace footlight::python
