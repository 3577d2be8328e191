// Helpers for the engine's own types: members that are defined in other files, and errors for unknown names.
#pragma once

#include "engine/python/interpreter/ref.h"

namespace footlight::python {

// Adds methods (up to a null name; they must live for ever) to a type that is ready. Throws.
void add_methods(PyTypeObject*, PyMethodDef*);
void add_properties(PyTypeObject*, PyGetSetDef*);

// Lets users set attributes of a type that is ready, as of a class written in Python: tests replace methods.
void allow_new_members(PyTypeObject*);

// tp_getattro: as usual, and an AttributeError names the nearest members ("did you mean 'numpy'?").
PyObject* get_member(PyObject* self, PyObject* name);
// Replaces the current AttributeError by one that does so, unless a property raised it. Always returns null.
PyObject* explain_missing(PyObject* self, PyObject* name);

}  // namespace footlight::python
