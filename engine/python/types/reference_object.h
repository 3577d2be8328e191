// tensor.ref(): a hashable handle that refers to the object itself.
#pragma once

#include "engine/python/types/objects.h"

namespace footlight::python {

PyObject* reference_to(PyObject*);  // new reference; null with an exception set
void init_reference();

}  // namespace footlight::python
