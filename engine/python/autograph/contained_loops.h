// Loops that meet no tensor and stand in converted code as they were written (engine/autograph/contained_loops.cpp).
#pragma once

#include "engine/python/interpreter/ref.h"

#include <cstdint>

namespace footlight::python::ag {

// Whether the loop that follows in the caller meets no tensor. `needs`: the names that it uses, of any scope, those of
// the attributes that it reaches, and those that have to be Python's own: "xs total len |append |len |raises".
PyObject* contained(PyObject*, PyObject* needs);

// Whether the variables that `needs` names, as above, are numbers, text or None in the caller, if they have values, and
// the names of builtins Python's own.
PyObject* numbers(PyObject*, PyObject* needs);

// Releases what was found during tracing.
void forget_contained();

struct ContainedCounts {
  uint64_t asked = 0, written = 0;
};
extern ContainedCounts contained_counts;

}  // namespace footlight::python::ag
