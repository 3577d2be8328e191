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

// An object that says itself what it consists of: its class has __tf_flatten__ and __tf_unflatten__.
struct Flattened {
  Ref metadata;
  std::vector<Ref> components;
};
bool flattens_itself(PyObject*);
Flattened flattened(PyObject*);
Ref unflattened(PyObject* type, PyObject* metadata, std::span<const Ref> components);

void init_nest();

}  // namespace footlight::python
