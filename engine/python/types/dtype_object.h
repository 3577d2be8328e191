// tf.DType: one object per dtype.
#pragma once

#include "engine/python/types/objects.h"

namespace footlight::python {

extern PyTypeObject* dtype_type;
PyObject* dtype_object(DType);  // borrowed, lives forever
// A DType from a user's value: tf.float32, "float32", np.float32, np.dtype, float, bool, 1. Throws kType
// for anything else.
DType dtype_from_object(PyObject*);
bool is_dtype(PyObject*);
// NumPy, loaded when it is first needed: where the interpreter has none, from the environment of the build
// tree. Throws ImportError in words.
Ref import_numpy();
// The NumPy dtype object (bfloat16 needs ml_dtypes). Imports NumPy. Throws.
Ref numpy_dtype(DType);

void init_dtype();

}  // namespace footlight::python
