// Sparse gradients: rows of a value and their indices. They travel as a resource tensor in place of a gradient,
// so that tapes and gradient functions handle them like any other; code that computes with one calls dense() first.
#pragma once

#include "engine/ops/builder.h"

namespace footlight {

class IndexedSlices final : public Resource {
 public:
  IndexedSlices(Tensor v, Tensor i, Tensor shape)
      : values(std::move(v)), indices(std::move(i)), dense_shape(std::move(shape)) {}
  const Tensor values, indices;
  const Tensor dense_shape;  // a vector; empty if not known
};

namespace ops {

// A sparse gradient: values[k] belongs to row indices[k] of a tensor of shape `dense_shape`.
Tensor indexed_slices(const Tensor& values, const Tensor& indices, const Tensor& dense_shape);
// The gradient of a gather along the first dimension of something of shape `params_shape`.
Tensor gathered_rows(const Tensor& gradient, const Tensor& indices, const Tensor& params_shape);
// The slices that a tensor holds; null for any other tensor and for an empty one.
const IndexedSlices* slices_of(const Tensor&);
// Converts a gradient to a dense tensor; returns one that is dense already. Throws kValue if slices have no
// dense_shape.
Tensor dense(const Tensor&);
// Adds gradients. The sum of slices is their concatenation; if any gradient is dense, so is the sum.
Tensor accumulate(std::span<const Tensor>);
// Applies `each` to a tensor, or to the values of slices.
template <class Each>
Tensor map_rows(const Tensor& t, Each&& each) {
  const IndexedSlices* s = slices_of(t);
  return s ? indexed_slices(each(s->values), s->indices, s->dense_shape) : each(t);
}

// Gathers rows of `params`, which may be the handle of a variable (from a parameter "tensor or variable"): then it
// reads no other rows, and the gradient is sparse. `name` is the user's.
Tensor gather_rows(const Tensor& params, const Tensor& indices, std::string_view name = {});
// Gathers elements or rows at index vectors, by ResourceGatherNd if `params` is a handle, else by GatherNd.
Tensor gather_elements(const Tensor& params, const Tensor& indices, const Attrs& attrs = {},
                       std::string_view name = {});
// Reads the variable if the parameter is a handle, else returns it.
Tensor value_of(const Tensor& tensor_or_handle);

}  // namespace ops
}  // namespace footlight
