// Python's operators on tensors, shared by Tensor and Variable.
#pragma once

#include "engine/python/types/objects.h"

namespace footlight::python {

extern PyNumberMethods tensor_operators;  // of Tensor; Variable takes what it needs from it
PyObject* tensor_compare(PyObject*, PyObject*, int op);

// x[key]: ints, slices (bounds may be tensors), Ellipsis, None, a tuple of them, a boolean mask.
PyObject* tensor_subscript(PyObject*, PyObject* key);
Tensor subscript(const Tensor&, PyObject* key);
// What `x[key]` selects, as StridedSlice takes it: for Variable's sliced assignment too.
struct SliceSpec {
  Tensor begin, end, strides;
  int64_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0;
};
SliceSpec slice_spec(PyObject* key);

// The value of a tensor or variable as bool, int, float for Python; throws in words for symbolic ones.
bool truth_of(const Tensor&);

}  // namespace footlight::python
