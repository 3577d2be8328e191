// tensor.ref(): a hashable handle that stands for the object itself.
#pragma once

#include "engine/python/types/objects.h"

namespace footlight::python {

PyObject* reference_to(PyObject*);  // new reference; null with an exception set
void init_reference();

}  // namespace footlight::python
