// Dtypes and shapes in cache keys: keys contain plain numbers, because they are read without the tensor library.
#pragma once

#include "engine/keys/key.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/shape.h"

namespace footlight::trace {

static_assert(kUnknownDim == keys::kUnknownSize);

// Valid as long as `shape` lives.
inline keys::TensorSpec key_spec(DType dtype, const Shape& shape) {
  return {static_cast<uint8_t>(dtype), shape.has_rank(), shape.dims()};
}

// The dtype of a tensor or variable in a key.
inline DType dtype_of(const keys::Item& item) { return static_cast<DType>(item.spec().dtype); }
inline Shape shape_of(const keys::Item& item) {
  const keys::TensorSpec spec = item.spec();
  return spec.has_rank ? Shape(spec.sizes) : Shape::unknown_rank();
}

}  // namespace footlight::trace
