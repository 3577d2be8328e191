// Applies ops from C++ with the attributes that they usually have.
#include "engine/ops/functions.h"

#include <algorithm>
#include <numeric>

namespace footlight::ops {

namespace {
bool fits_int32(int64_t v) { return v == static_cast<int32_t>(v); }
}  // namespace

Tensor ints(std::span<const int64_t> values, DType dtype) {
  // Like Python lists: int32, or int64 for values that do not fit.
  if (dtype == DType::kInt32 && !std::ranges::all_of(values, fits_int32)) dtype = DType::kInt64;
  Tensor t = Tensor::empty(dtype, Shape{static_cast<int64_t>(values.size())});
  if (dtype == DType::kInt32) std::copy(values.begin(), values.end(), t.data<int32_t>());
  else if (dtype == DType::kInt64) std::copy(values.begin(), values.end(), t.data<int64_t>());
  else invalid("a shape or an axis is int32 or int64, not ", name_of(dtype));
  return t.as_constant();
}

Tensor ints(std::initializer_list<int64_t> values, DType dtype) {
  return ints(std::span<const int64_t>(values.begin(), values.size()), dtype);
}

Tensor integer(int64_t value, DType dtype) {
  if (dtype == DType::kInt64 || (dtype == DType::kInt32 && !fits_int32(value)))
    return Tensor::scalar(value).as_constant();
  return number(static_cast<double>(value), dtype);
}

Tensor number(double value, DType dtype) {
  Tensor t = Tensor::empty(dtype, Shape());
  with_plain_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, std::complex<float>>) *t.data<T>() = T(static_cast<float>(value));
    else *t.data<T>() = static_cast<T>(value);
  });
  return t.as_constant();
}

Tensor add(const Tensor& x, const Tensor& y, std::string_view name) {
  return apply("AddV2"_op.row(), Borrowed(x, y), {}, name);
}
Tensor sub(const Tensor& x, const Tensor& y) { return apply("Sub"_op.row(), Borrowed(x, y), {}, "sub"); }
Tensor mul(const Tensor& x, const Tensor& y) { return apply("Mul"_op.row(), Borrowed(x, y), {}, "mul"); }
Tensor div(const Tensor& x, const Tensor& y) { return apply("RealDiv"_op.row(), Borrowed(x, y), {}, "truediv"); }
Tensor scaled(const Tensor& x, double factor) { return mul(number(factor, x.dtype()), x); }
Tensor neg(const Tensor& x) { return apply("Neg"_op.row(), Borrowed(x)); }
Tensor conj(const Tensor& x) { return is_complex(x.dtype()) ? apply("Conj"_op.row(), Borrowed(x)) : x; }
Tensor square(const Tensor& x) { return apply("Square"_op.row(), Borrowed(x)); }
Tensor reciprocal(const Tensor& x) { return apply("Reciprocal"_op.row(), Borrowed(x)); }
Tensor exp(const Tensor& x) { return apply("Exp"_op.row(), Borrowed(x)); }
Tensor log(const Tensor& x) { return apply("Log"_op.row(), Borrowed(x)); }
Tensor sqrt(const Tensor& x, std::string_view name) { return apply("Sqrt"_op.row(), Borrowed(x), {}, name); }
Tensor maximum(const Tensor& x, const Tensor& y, std::string_view name) {
  return apply("Maximum"_op.row(), Borrowed(x, y), {}, name);
}
Tensor minimum(const Tensor& x, const Tensor& y, std::string_view name) {
  return apply("Minimum"_op.row(), Borrowed(x, y), {}, name);
}
Tensor equal(const Tensor& x, const Tensor& y) { return apply("Equal"_op.row(), Borrowed(x, y)); }
Tensor greater(const Tensor& x, const Tensor& y) { return apply("Greater"_op.row(), Borrowed(x, y)); }
Tensor less(const Tensor& x, const Tensor& y) { return apply("Less"_op.row(), Borrowed(x, y)); }
Tensor cast(const Tensor& x, DType dtype) {
  return x.dtype() == dtype ? x : apply("Cast"_op, {x}, {{"DstT"_attr, dtype}});
}
Tensor identity(const Tensor& x) { return apply("Identity"_op.row(), Borrowed(x)); }
Tensor matmul(const Tensor& x, const Tensor& y, bool transpose_a, bool transpose_b) {
  if (!transpose_a && !transpose_b) return apply("MatMul"_op.row(), Borrowed(x, y));
  return apply("MatMul"_op, {x, y}, {{"transpose_a"_attr, transpose_a}, {"transpose_b"_attr, transpose_b}});
}
Tensor sum(const Tensor& x, const Tensor& axes, bool keep_dims) {
  return keep_dims ? apply("Sum"_op, {x, axes}, {{"keep_dims"_attr, true}}) : apply("Sum"_op, {x, axes});
}
Tensor max_of(const Tensor& x) { return apply("Max"_op, {x, all_axes(x)}); }
Tensor reshape(const Tensor& x, const Tensor& shape) { return apply("Reshape"_op.row(), Borrowed(x, shape)); }
Tensor broadcast_to(const Tensor& x, const Tensor& shape) { return apply("BroadcastTo"_op.row(), Borrowed(x, shape)); }
Tensor shape(const Tensor& x, DType dtype) {
  if (x.shape().fully_known()) return ints(x.shape().dims(), dtype);
  return apply("Shape"_op, {x}, {{"out_type"_attr, dtype}});
}
Tensor rank(const Tensor& x) { return apply("Rank"_op.row(), Borrowed(x)); }
Tensor size(const Tensor& x) { return apply("Size"_op.row(), Borrowed(x)); }
Tensor all_axes(const Tensor& x) {
  if (!x.shape().has_rank()) return range(integer(0), rank(x));
  const auto make = [](size_t n) {
    std::vector<int64_t> all(n);
    std::iota(all.begin(), all.end(), int64_t{0});
    return ints(all);
  };
  // Cached for the most common ranks.
  static const auto* const made = new std::vector<Tensor>{make(0), make(1), make(2), make(3), make(4)};
  const auto n = static_cast<size_t>(x.shape().rank());
  return !this_thread.builder && n < made->size() ? (*made)[n] : make(n);
}
Tensor range(const Tensor& begin, const Tensor& end, std::string_view name) {
  return apply("Range"_op, {begin, end, number(1, end.dtype())}, {}, name);
}
Tensor zeros_like(const Tensor& x) { return apply("ZerosLike"_op.row(), Borrowed(x)); }
Tensor ones_like(const Tensor& x) { return apply("OnesLike"_op.row(), Borrowed(x)); }
Tensor fill(const Tensor& shape, const Tensor& value) { return apply("Fill"_op, {shape, value}); }
Tensor where(const Tensor& condition, const Tensor& then, const Tensor& otherwise) {
  return apply("SelectV2"_op, {condition, then, otherwise});
}
Tensor transpose(const Tensor& x, const Tensor& perm) { return apply("Transpose"_op, {x, perm}, {}, "transpose"); }
Tensor expand_dims(const Tensor& x, int64_t axis) { return apply("ExpandDims"_op, {x, integer(axis)}); }
Tensor concat(std::span<const Tensor> values, int64_t axis) {
  if (values.size() == 1) return values[0];
  std::vector<Tensor> inputs(values.begin(), values.end());
  inputs.push_back(integer(axis));
  return apply("ConcatV2"_op.row(), inputs, {}, "concat");
}
Tensor squeeze(const Tensor& x, const std::vector<int64_t>& axes, std::string_view name) {
  return apply("Squeeze"_op.row(), Borrowed(x), {{"squeeze_dims"_attr, axes}}, name);
}
Tensor pack(std::span<const Tensor> values, int64_t axis, std::string_view name) {
  return apply("Pack"_op.row(), values, {{"axis"_attr, axis}}, name);
}
Tensor slice(const Tensor& x, const Tensor& begin, const Tensor& size) {
  return apply("Slice"_op.row(), Borrowed(x, begin, size));
}
Tensor gather(const Tensor& x, const Tensor& indices, int64_t axis) {
  return apply("GatherV2"_op, {x, indices, integer(axis)});
}
Tensor add_n(std::span<const Tensor> values) {
  return values.size() == 1 ? values[0] : apply("AddN"_op.row(), values, {}, "AddN");
}

Tensor sum_to_shape_of(const Tensor& gradient, const Tensor& x) {
  const Shape& from = gradient.shape();
  const Shape& to = x.shape();
  if (from.fully_known() && from == to) return gradient;
  if (to.fully_known() && from.has_rank()) {
    std::vector<int64_t> axes;
    const int extra = from.rank() - to.rank();
    for (int i = 0; i < from.rank(); ++i)
      if (i < extra || (to[i - extra] == 1 && from[i] != 1)) axes.push_back(i);
    const Tensor summed = axes.empty() ? gradient : sum(gradient, ints(axes));
    return summed.shape() == to ? summed : reshape(summed, ints(to.dims()));
  }
  const Tensor wanted = shape(x);
  const Tensor both[] = {wanted, shape(gradient)};
  const std::vector<Tensor> axes = apply_all("BroadcastGradientArgs"_op.row(), both, {});
  return reshape(sum(gradient, axes[0]), wanted);
}

}  // namespace footlight::ops
