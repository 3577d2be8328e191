// Python's operators on tensors and variables.
#pragma once

#include "engine/python/types/objects.h"

namespace footlight::python {

// Adds operators to the types of tensors and variables; call it before init_types().
void install_operators();

// The value of a tensor for `if`, `while` and bool(); throws for symbolic ones.
bool truth_of(const Tensor&);

// x[key]: ints, slices (bounds may be tensors), Ellipsis, None, a tuple of them, a boolean mask.
Tensor subscript(const Tensor&, PyObject* key);
PyObject* tensor_subscript(PyObject*, PyObject* key);
PyObject* tensor_item(PyObject*, Py_ssize_t);
Py_ssize_t tensor_length(PyObject*);
PyObject* variable_subscript(PyObject*, PyObject* key);  // a tensor that has assign()
// The elements that `x[key]` selects, as StridedSlice takes it; also for Variable's sliced assignment.
struct SliceSpec {
  Tensor begin, end, strides;
  int64_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0;
};
SliceSpec slice_spec(PyObject* key);

}  // namespace footlight::python
