// Records where the body of a traced function takes the size of a dimension as a Python number.
#pragma once

#include <Python.h>

#include "engine/tensor/shape.h"

namespace footlight::python {

// Call it when Python code gets the size of a dimension: writes an ObservationRecord of the kind kSizeRead if that is a
// line of the user's own code, in a trace that is recorded.
void record_size_read(const Shape& shape, int dimension);
void record_size_reads(const Shape& shape);  // of all dimensions

}  // namespace footlight::python
