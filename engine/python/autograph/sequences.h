// Iterables of loops and builtins while tracing: elements of a tensor, alone or paired with others.
#pragma once

#include "engine/python/autograph/runtime.h"

#include <optional>

namespace footlight::python::ag {

// The elements of a tensor along its first dimension; no value where their number is known only when the graph runs.
std::optional<std::vector<Ref>> known_elements(const Tensor&);

// Elements computed one at a time in a staged loop, for enumerate, zip and map over tensors of unknown length.
struct Elements {
  Tensor count;  // int32
  std::function<Ref(const Tensor& index)> at;
};
// The elements of a tensor or of such a sequence.
Elements elements_of(PyObject*);

// Wraps them as a Python object that a `for` statement unpacks. New reference.
Ref wrap_elements(Elements);
const Elements* wrapped_elements(PyObject*);  // null: it is none

void init_sequences();

// A ragged tensor, of which an element is a row.
bool is_rows(PyObject*);
Elements rows_of(PyObject*);

// A tf.data.Dataset or an iterator over one.
bool is_dataset_or_iterator(PyObject*);

}  // namespace footlight::python::ag
