// Lists whose length is known only when the graph runs: their elements, stacked, as a tensor. One comes into being
// where a list is appended to in a staged loop, or under a condition that is a tensor.
#pragma once

#include "engine/python/autograph/runtime.h"

namespace footlight::python::ag {

bool is_grown(PyObject*);               // an object of footlight._autograph.ag.List
Tensor grown_values(PyObject* list);
Ref grown_list(const Tensor& values);

// The common type of a list's elements.
struct ElementType {
  DType dtype = DType::kInvalid;  // invalid: the list has no elements
  Shape shape;
};
ElementType element_type(PyObject* list);
// Converts a Python list whose elements have this type to a list that grows in the graph.
Ref as_grown(PyObject* list, const ElementType& type);

// Returns the stacked values of a list after one more element was appended.
Tensor with_element(const Tensor& values, const Tensor& element);

// Copies Python lists for a block, so that its appends can be seen and undone.
void copy_lists(const State& state, const std::vector<Ref>& before);
// Puts back the original of each list that the block did not change.
void restore_lists(const State& state, const std::vector<Ref>& before);

}  // namespace footlight::python::ag
