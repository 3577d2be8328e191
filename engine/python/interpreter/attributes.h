// Look-ups that may find nothing: an AttributeError or a missing key is a result, all other exceptions are thrown.
#pragma once

#include "engine/python/interpreter/exceptions.h"

namespace footlight::python {

// object.name, or null.
Ref optional_attribute(PyObject* object, const char* name);
bool has_attribute(PyObject* object, const char* name);
// The same on the object's class, as Python does for special methods: __getattr__ is not called.
bool class_has_attribute(PyObject* object, const char* name);

// dict[key], borrowed, or null. Exceptions from the key's __hash__ and __eq__ are thrown.
PyObject* find_item(PyObject* dict, PyObject* key);
PyObject* find_item(PyObject* dict, const char* key);

// isinstance(): `classes` is a class or a tuple of classes.
bool is_instance(PyObject* object, PyObject* classes);
bool is_true(PyObject* object);
bool are_equal(PyObject* a, PyObject* b);

}  // namespace footlight::python
