// Nested structures (lists, tuples, namedtuples, mappings, attrs classes) as flat leaves and back: tf.nest.
#pragma once

#include "engine/python/objects.h"

#include <vector>

namespace footlight::python {

bool is_nested(PyObject*);
// The leaves in order; mappings by sorted key. Throws.
void nest_flatten(PyObject* structure, std::vector<Ref>& leaves);
// The same structure with other leaves (as many as nest_flatten gives). Throws.
Ref nest_pack(PyObject* structure, std::span<const Ref> leaves);
// ValueError or TypeError that says where they differ.
void nest_assert_same(PyObject* a, PyObject* b, bool check_types);

}  // namespace footlight::python
