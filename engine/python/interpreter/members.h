// What the engine's own types have in common: members that come from other files, and words for names that are not
// there.
#pragma once

#include "engine/python/interpreter/exceptions.h"

namespace footlight::python {

// Adds methods (up to a null name; they must live for ever) to a type that is ready. Throws.
void add_methods(PyTypeObject*, PyMethodDef*);
void add_properties(PyTypeObject*, PyGetSetDef*);

// tp_getattro: as usual, and an AttributeError names the nearest members ("did you mean 'numpy'?").
PyObject* get_member(PyObject* self, PyObject* name);
// Replaces the AttributeError that is set by one that does so. Always null.
PyObject* explain_missing(PyObject* self, PyObject* name);

// `footlight._engine.extend(type, name, member)`: what is Python by nature joins a type made here.
void init_members(PyObject* module);

}  // namespace footlight::python
