// Dtypes and shapes in cache keys: keys contain plain numbers, because they are read without the tensor library.
#pragma once

#include "engine/explain/key.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"

namespace footlight::trace {

static_assert(kUnknownDim == explain::kUnknownSize);

// Valid as long as `shape`.
inline explain::TensorSpec key_spec(DType dtype, const Shape& shape) {
  return {static_cast<uint8_t>(dtype), shape.has_rank(), shape.dims()};
}

// Of a tensor or a variable in a key.
inline DType dtype_of(const explain::Item& item) { return static_cast<DType>(item.spec().dtype); }
inline Shape shape_of(const explain::Item& item) {
  const explain::TensorSpec spec = item.spec();
  return spec.has_rank ? Shape(spec.sizes) : Shape::unknown_rank();
}

}  // namespace footlight::trace
