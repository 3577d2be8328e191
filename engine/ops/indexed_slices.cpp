// Makes, adds and expands sparse gradients, and reads rows of variables.
#include "engine/ops/indexed_slices.h"

#include "engine/ops/functions.h"
#include "engine/tensor/variable.h"

#include <algorithm>
#include <array>

namespace footlight::ops {

Tensor indexed_slices(const Tensor& values, const Tensor& indices, const Tensor& dense_shape) {
  return Tensor::resource(new IndexedSlices(values, indices, dense_shape));
}

Tensor gathered_rows(const Tensor& gradient, const Tensor& indices, const Tensor& params_shape) {
  const Shape& grad = gradient.shape();
  Tensor values = gradient, rows = indices;
  if (!indices.shape().has_rank() || indices.shape().rank() != 1) {
    const Tensor flat = ints({kUnknownDim});
    rows = reshape(indices, flat);
    const bool whole = grad.fully_known() && indices.shape().fully_known();
    if (whole) {
      Shape to{indices.elements()};
      for (int d = indices.shape().rank(); d < grad.rank(); ++d) to.append(grad[d]);
      values = reshape(gradient, ints(to.dims()));
    } else {
      const Tensor tail =
          apply("StridedSlice"_op, {params_shape, ints({1}), ints({0}), ints({1})}, {{"end_mask"_attr, int64_t{1}}});
      const Tensor count = reshape(apply("Size"_op, {indices}), ints({1}));
      values = reshape(gradient, concat(std::vector<Tensor>{count, cast(tail, DType::kInt32)}, 0));
    }
  }
  return indexed_slices(values, rows, params_shape);
}

const IndexedSlices* slices_of(const Tensor& t) {
  if (!t || t.dtype() != DType::kResource || t.is_symbolic()) return nullptr;
  return dynamic_cast<const IndexedSlices*>(t.resource_object());
}

Tensor dense(const Tensor& t) {
  static const OpRow* const sum = find_row("UnsortedSegmentSum");
  const IndexedSlices* s = slices_of(t);
  if (!s) return t;
  if (!s->dense_shape)
    fail(ErrorKind::kValue, "an IndexedSlices without dense_shape does not become a tensor: give it the shape of the "
         "whole value");
  if (!sum) return apply("GatherGrad"_op, {cast(s->dense_shape, DType::kInt32), s->indices, integer(0), s->values});
  const Tensor known = known_value(s->dense_shape);
  Tensor rows;
  if (known) {
    rows = integer(known.dtype() == DType::kInt64 ? known.data<int64_t>()[0] : known.data<int32_t>()[0], known.dtype());
  } else {
    rows = apply("StridedSlice"_op, {s->dense_shape, ints({0}), ints({1}), ints({1})},
                 {{"shrink_axis_mask"_attr, int64_t{1}}});
  }
  return footlight::apply(*sum, std::array{s->values, s->indices, rows});
}

Tensor accumulate(std::span<const Tensor> gradients) {
  if (gradients.size() == 1) return gradients[0];
  if (!std::all_of(gradients.begin(), gradients.end(), [](const Tensor& t) { return slices_of(t) != nullptr; })) {
    std::vector<Tensor> all;
    for (const Tensor& t : gradients) all.push_back(dense(t));
    return add_n(all);
  }
  std::vector<Tensor> values, indices;
  DType dtype = DType::kInt32;
  for (const Tensor& t : gradients)
    if (slices_of(t)->indices.dtype() != DType::kInt32) dtype = DType::kInt64;
  for (const Tensor& t : gradients) {
    values.push_back(slices_of(t)->values);
    indices.push_back(cast(slices_of(t)->indices, dtype));
  }
  return indexed_slices(concat(values, 0), concat(indices, 0), slices_of(gradients[0])->dense_shape);
}

Tensor gather_rows(const Tensor& params, const Tensor& indices, std::string_view name) {
  if (params.dtype() != DType::kResource) return apply("GatherV2"_op, {params, indices, integer(0)}, {}, name);
  const Variable* v = variable_of(params);
  if (!v) fail(ErrorKind::kType, "a tensor or a variable is wanted to gather from, not another resource");
  return apply("ResourceGather"_op, {params, indices}, {{"dtype"_attr, v->dtype()}}, name.empty() ? "Gather" : name);
}

Tensor gather_elements(const Tensor& params, const Tensor& indices, const Attrs& attrs, std::string_view name) {
  const Variable* v = params.dtype() == DType::kResource ? variable_of(params) : nullptr;
  // Ops on variables have no policy for out-of-bounds indices: they are errors.
  if (!v || !attrs.empty()) return apply("GatherNd"_op, {value_of(params), indices}, attrs, name);
  return identity(
      apply("ResourceGatherNd"_op, {params, indices}, {{"dtype"_attr, v->dtype()}}, name.empty() ? "GatherNd" : name));
}

Tensor value_of(const Tensor& t) {
  if (t.dtype() != DType::kResource) return t;
  const Variable* v = variable_of(t);
  return v ? apply("ReadVariableOp"_op, {t}, {{"dtype"_attr, v->dtype()}}) : t;
}

}  // namespace footlight::ops
