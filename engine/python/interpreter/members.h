// What the engine's own types have in common: members that come from other files, and words for names that are not
// there.
#pragma once

#include "engine/python/interpreter/ref.h"

namespace footlight::python {

// Adds methods (up to a null name; they must live for ever) to a type that is ready. Throws.
void add_methods(PyTypeObject*, PyMethodDef*);
void add_properties(PyTypeObject*, PyGetSetDef*);

// tp_getattro: as usual, and an AttributeError names the nearest members ("did you mean 'numpy'?").
PyObject* get_member(PyObject* self, PyObject* name);
// Replaces the AttributeError that is set by one that does so. Always null.
PyObject* explain_missing(PyObject* self, PyObject* name);

}  // namespace footlight::python
