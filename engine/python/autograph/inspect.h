// Functions of the extension module that show trees and conversions as text.
#pragma once

#include "engine/base/errors.h"
#include "engine/python/types/objects.h"

namespace footlight::python {

void init_autograph_inspection(PyObject* module);

}  // namespace footlight::python
