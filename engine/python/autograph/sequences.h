// What a loop or a builtin iterates over while tracing: the elements of a tensor, alone or paired with others.
#pragma once

#include "engine/python/autograph/runtime.h"

#include <optional>

namespace footlight::python::ag {

// The elements of a tensor along its first dimension; no value where their number is known only when the graph runs.
std::optional<std::vector<Ref>> known_elements(const Tensor&);

// Elements that are made one at a time in a staged loop: what enumerate, zip, map give for tensors of unknown length.
struct Elements {
  Tensor count;  // int32
  std::function<Ref(const Tensor& index)> at;
};
// Of a tensor or of such a sequence.
Elements elements_of(PyObject*);

// As a Python object, which a `for` statement takes apart. New reference.
Ref wrap_elements(Elements);
const Elements* wrapped_elements(PyObject*);  // null: it is none

void init_sequences();

// A ragged tensor, of which an element is a row.
bool is_rows(PyObject*);
Elements rows_of(PyObject*);

// A tf.data.Dataset or an iterator over one.
bool is_dataset_or_iterator(PyObject*);

}  // namespace footlight::python::ag
