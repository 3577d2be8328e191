// Since when objects in keys are known to exist, for recordings: members of an ensemble are there before their first
// call, and objects that a loop makes are not.
#pragma once

#include <Python.h>

#include <cstdint>

namespace footlight::python {

// For an object that becomes part of a key for the first time. 0: since now, as far as is known, or nothing is
// recorded. With the second object of a class, all others are looked for.
int64_t known_since(PyObject* object);

}  // namespace footlight::python
