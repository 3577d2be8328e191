// Dtypes, shapes and constants of a file. All throw kValue for what cannot be.
#pragma once

#include "engine/formats/graph_def.pb.h"
#include "engine/formats/limits.h"
#include "engine/tensor/tensor.h"

namespace footlight::formats {

DType dtype_from(int number);  // of the enumeration DataType
Shape shape_from(const TensorShapeProto&);
// Takes its bytes from `bytes_left` before it allocates them.
Tensor tensor_from(const TensorProto&, size_t& bytes_left, const Limits&);

}  // namespace footlight::formats
