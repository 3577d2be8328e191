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
  const Tensor dense_shape;  // a vector, or none when not known
};

namespace ops {

// A sparse gradient: values[k] belongs to row indices[k] of a tensor of shape `dense_shape`.
Tensor indexed_slices(const Tensor& values, const Tensor& indices, const Tensor& dense_shape);
// The gradient of a gather along the first dimension of something of shape `params_shape`.
Tensor gathered_rows(const Tensor& gradient, const Tensor& indices, const Tensor& params_shape);
// The contents of such a tensor; null for every other tensor, and for none.
const IndexedSlices* slices_of(const Tensor&);
// The same gradient as a dense tensor (itself if it is one). kValue without a dense_shape.
Tensor dense(const Tensor&);
// The sum: concatenated rows if all are slices, else a tensor.
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
// The same for elements or rows at index vectors: ResourceGatherNd of a handle, else GatherNd.
Tensor gather_elements(const Tensor& params, const Tensor& indices, const Attrs& attrs = {},
                       std::string_view name = {});
// The value behind such a parameter.
Tensor value_of(const Tensor& tensor_or_handle);

}  // namespace ops
}  // namespace footlight
