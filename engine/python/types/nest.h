// Nested structures (lists, tuples, namedtuples, mappings, attrs classes) as flat leaves and back: tf.nest.
#pragma once

#include "engine/python/types/objects.h"

#include <vector>

namespace footlight::python {

bool is_nested(PyObject*);
// The leaves in order; mappings by sorted key. Throws.
// `composites`: what consists of tensors (an IndexedSlices) is opened too; else it is a leaf.
void nest_flatten(PyObject* structure, std::vector<Ref>& leaves, bool composites = false);
// The same structure with other leaves (as many as nest_flatten gives). Throws.
Ref nest_pack(PyObject* structure, std::span<const Ref> leaves, bool composites = false);
// ValueError or TypeError that says where they differ.
void nest_assert_same(PyObject* a, PyObject* b, bool check_types, bool composites = false);

void init_nest();

}  // namespace footlight::python
