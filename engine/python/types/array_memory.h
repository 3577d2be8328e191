// Memory shared with NumPy and other users of the buffer protocol; NumPy itself is loaded only
// to make arrays.
#pragma once

#include "engine/python/types/convert.h"

namespace footlight::python {

// An array, NumPy scalar, memoryview or object with __array__ as a tensor: contiguous memory that nobody can write is
// shared, other memory is copied. Empty if it is none of these; throws for unsupported element types.
std::optional<Tensor> array_value(PyObject*);

// A NumPy array of its own (a NumPy scalar for rank 0, bytes for a string): Tensor.numpy(). Imports NumPy.
Ref numpy_value(const Tensor&);

// The buffer protocol of Tensor: read-only, no copy for what is on the host.
extern PyBufferProcs tensor_buffer;

}  // namespace footlight::python
