// Look-ups that may find nothing: an AttributeError or a missing key is an answer, every other exception is thrown.
#pragma once

#include "engine/python/interpreter/exceptions.h"

namespace footlight::python {

// object.name, null where there is none.
Ref optional_attribute(PyObject* object, const char* name);
bool has_attribute(PyObject* object, const char* name);
// The same asked of the object's class, as Python does for special methods: __getattr__ is not called.
bool class_has_attribute(PyObject* object, const char* name);

// dict[key], borrowed; null where there is none. What the key's __hash__ and __eq__ raise is thrown.
PyObject* find_item(PyObject* dict, PyObject* key);
PyObject* find_item(PyObject* dict, const char* key);

// Whether an object is of a class, or of one of a tuple of them.
bool is_instance(PyObject* object, PyObject* classes);
bool is_true(PyObject* object);
bool are_equal(PyObject* a, PyObject* b);

}  // namespace footlight::python
