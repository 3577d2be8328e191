// The result of a variable's assign() and the like.
#pragma once

#include "engine/python/types/variable_object.h"

namespace footlight::python {

// Whether a variable object was made by variable_updated(). `o`: a variable.
bool is_assignment_result(PyObject* o);

}  // namespace footlight::python
