// Ops as C++ functions, for gradients and composites: each builds through apply(), eager or traced.
#pragma once

#include "engine/ops/builder.h"

#include <span>
#include <vector>

namespace footlight::ops {

// An argument for one op (an axis, a shape): tapes do not watch it, and in a graph it becomes a Const of that op.
Tensor ints(std::span<const int64_t> values, DType dtype = DType::kInt32);
Tensor ints(std::initializer_list<int64_t> values, DType dtype = DType::kInt32);
Tensor integer(int64_t value, DType dtype = DType::kInt32);
Tensor number(double value, DType dtype);  // a scalar of any plain dtype

Tensor add(const Tensor&, const Tensor&, std::string_view name = "add");
Tensor sub(const Tensor&, const Tensor&);
Tensor mul(const Tensor&, const Tensor&);
Tensor div(const Tensor&, const Tensor&);
Tensor scaled(const Tensor&, double factor);  // times a number of its dtype
Tensor neg(const Tensor&);
Tensor conj(const Tensor&);
Tensor square(const Tensor&);
Tensor reciprocal(const Tensor&);
Tensor exp(const Tensor&);
Tensor log(const Tensor&);
Tensor sqrt(const Tensor&, std::string_view name = {});
Tensor maximum(const Tensor&, const Tensor&, std::string_view name = {});
Tensor minimum(const Tensor&, const Tensor&, std::string_view name = {});
Tensor equal(const Tensor&, const Tensor&);
Tensor greater(const Tensor&, const Tensor&);
Tensor less(const Tensor&, const Tensor&);
Tensor cast(const Tensor&, DType);
Tensor identity(const Tensor&);
Tensor matmul(const Tensor&, const Tensor&, bool transpose_a = false, bool transpose_b = false);
Tensor sum(const Tensor&, const Tensor& axes, bool keep_dims = false);
Tensor max_of(const Tensor&);  // over all axes
Tensor reshape(const Tensor&, const Tensor& shape);
Tensor broadcast_to(const Tensor&, const Tensor& shape);
Tensor shape(const Tensor&, DType = DType::kInt32);  // a constant when it is known
Tensor rank(const Tensor&);
Tensor size(const Tensor&);
Tensor all_axes(const Tensor&);  // 0, 1, ... up to the rank: a constant when that is known
Tensor range(const Tensor& begin, const Tensor& end, std::string_view name = "range");  // step 1
Tensor zeros_like(const Tensor&);
Tensor ones_like(const Tensor&);
Tensor fill(const Tensor& shape, const Tensor& value);
Tensor where(const Tensor& condition, const Tensor& then, const Tensor& otherwise);
Tensor transpose(const Tensor&, const Tensor& perm);
Tensor expand_dims(const Tensor&, int64_t axis);
Tensor concat(std::span<const Tensor>, int64_t axis);
inline Tensor concat(std::initializer_list<Tensor> parts, int64_t axis) { return concat(std::span(parts), axis); }
Tensor squeeze(const Tensor&, const std::vector<int64_t>& axes, std::string_view name = {});
Tensor pack(std::span<const Tensor>, int64_t axis, std::string_view name = {});
inline Tensor pack(std::initializer_list<Tensor> parts, int64_t axis) { return pack(std::span(parts), axis); }
Tensor slice(const Tensor&, const Tensor& begin, const Tensor& size);
Tensor gather(const Tensor&, const Tensor& indices, int64_t axis = 0);
Tensor add_n(std::span<const Tensor>);

// The gradient of a broadcast: `gradient` summed over the dimensions along which x was repeated, with the shape of x.
Tensor sum_to_shape_of(const Tensor& gradient, const Tensor& x);

}  // namespace footlight::ops
