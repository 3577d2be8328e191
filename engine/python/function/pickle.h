// How tf.function objects are pickled.
#pragma once

#include "engine/python/interpreter/ref.h"

namespace footlight::python {

PyObject* reduce_function(PyObject* self, PyObject*);  // __reduce__

}  // namespace footlight::python
