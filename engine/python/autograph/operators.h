// Adds the operators of the readable form to the extension module.
#pragma once

#include "engine/python/interpreter/module.h"

namespace footlight::python {

void init_autograph_operators(PyObject* module);

}  // namespace footlight::python
