// Loops over datasets and their iterators in a graph.
#pragma once

#include "engine/python/autograph/runtime.h"

namespace footlight::python::ag {

void dataset_loop(PyObject* values, PyObject* extra, PyObject* body, const State& state, PyObject* options);
// The condition to continue a loop: the loop's own, then the extra test that a break makes.
Tensor with_extra(const Tensor& test, PyObject* extra);

// An iteration that runs if a condition, a tensor, holds.
void staged_turn(const Tensor& condition, PyObject* body, PyObject* item, const State& state);

}  // namespace footlight::python::ag
