// Each expansion computes with TensorFlow's ops what our op's kernel does.
#include "engine/ops/expansions.h"

#include "engine/ops/functions.h"
#include "engine/ops/infer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

namespace footlight {
namespace {

using Inputs = std::span<const Tensor>;

Tensor product_of(const Tensor& sizes) { return apply("Prod"_op, {sizes, ops::ints({0})}); }

Tensor row_of(std::initializer_list<Tensor> scalars) { return ops::pack(std::vector<Tensor>(scalars), 0); }

// An axis counted from the front.
Tensor from_front(const Tensor& axis, const Tensor& rank) { return apply("FloorMod"_op, {axis, rank}); }

Tensor part(const Tensor& sizes, const Tensor& begin, const Tensor& end) {
  return ops::slice(sizes, row_of({begin}), row_of({ops::sub(end, begin)}));
}

// A shape with 1 at some axes.
std::vector<Tensor> reduced_shape(Inputs in, const Attrs&) {
  const Tensor axes = ops::reshape(from_front(in[1], ops::size(in[0])), ops::ints({-1, 1}));
  const Tensor ones = ops::fill(ops::reshape(ops::size(axes), ops::ints({1})), ops::integer(1));
  return {apply("TensorScatterUpdate"_op, {in[0], axes, ones})};
}

// The slices of grad are segments of a sum: dimensions [batch, outer, n, inner] become rows [batch * n, outer,
// inner].
std::vector<Tensor> gather_grad(Inputs in, const Attrs& attrs) {
  const Tensor &shape = in[0], &grad = in[3];
  const Tensor rank = ops::size(shape), zero = ops::integer(0);
  const Tensor axis =
      from_front(ops::reshape(ops::cast(in[2], DType::kInt32), ops::ints(std::span<const int64_t>())), rank);
  const Tensor indices = ops::cast(in[1], DType::kInt32);
  const Tensor batch_dims = from_front(ops::integer(attrs.get_or(AttrName("batch_dims"), int64_t{0})),
                                       ops::maximum(ops::size(ops::shape(indices)), ops::integer(1)));
  const Tensor batch = product_of(part(shape, zero, batch_dims)), outer = product_of(part(shape, batch_dims, axis));
  const Tensor size =
      ops::reshape(part(shape, axis, ops::add(axis, ops::integer(1))), ops::ints(std::span<const int64_t>()));
  const Tensor inner = product_of(part(shape, ops::add(axis, ops::integer(1)), rank));
  const Tensor count = product_of(part(ops::shape(indices), batch_dims, ops::size(ops::shape(indices))));
  const Tensor offsets = ops::mul(ops::range(zero, batch), size);
  const Tensor rows = ops::add(ops::reshape(indices, row_of({batch, count})), ops::expand_dims(offsets, 1));
  const Tensor slices =
      ops::transpose(ops::reshape(grad, row_of({batch, outer, count, inner})), ops::ints({0, 2, 1, 3}));
  const Tensor sums =
      apply("UnsortedSegmentSum"_op, {ops::reshape(slices, row_of({ops::mul(batch, count), outer, inner})),
                                      ops::reshape(rows, ops::ints({-1})), ops::mul(batch, size)});
  const Tensor back =
      ops::transpose(ops::reshape(sums, row_of({batch, size, outer, inner})), ops::ints({0, 2, 1, 3}));
  return {ops::reshape(back, shape)};
}

// Products before times products after each element, along the reduced dimensions as one.
std::vector<Tensor> prod_others(Inputs in, const Attrs&) {
  const Tensor axes = known_value(in[1]);
  if (in.size() != 2 || !axes || !in[0].shape().has_rank()) return {};
  const int rank = in[0].shape().rank();
  std::vector<int64_t> order, reduced;
  for (int64_t axis : infer::ints_of(axes)) {
    axis = axis < 0 ? axis + rank : axis;
    if (axis < 0 || axis >= rank) return {};
    if (std::ranges::find(reduced, axis) == reduced.end()) reduced.push_back(axis);
  }
  for (int64_t d = 0; d < rank; ++d)
    if (std::ranges::find(reduced, d) == reduced.end()) order.push_back(d);
  const auto kept = static_cast<int64_t>(order.size());
  std::ranges::sort(reduced);
  order.insert(order.end(), reduced.begin(), reduced.end());
  std::vector<int64_t> back(order.size());
  for (size_t k = 0; k < order.size(); ++k) back[static_cast<size_t>(order[k])] = static_cast<int64_t>(k);
  const Tensor moved = ops::transpose(in[0], ops::ints(order));
  const Tensor shape = ops::shape(moved);
  const Tensor rows = product_of(part(shape, ops::integer(0), ops::integer(kept)));
  const Tensor columns = product_of(part(shape, ops::integer(kept), ops::integer(rank)));
  const Tensor flat = ops::reshape(moved, row_of({rows, columns}));
  const Tensor before = apply("Cumprod"_op, {flat, ops::integer(1)}, {{"exclusive"_attr, true}});
  const Tensor after = apply("Cumprod"_op, {flat, ops::integer(1)}, {{"exclusive"_attr, true}, {"reverse"_attr, true}});
  return {ops::transpose(ops::reshape(ops::mul(before, after), shape), ops::ints(back))};
}

std::vector<Tensor> scale_shift(Inputs in, const Attrs&) { return {ops::add(ops::mul(in[0], in[1]), in[2])}; }

// max(x, 0) - x * z + log(1 + exp(-|x|))
std::vector<Tensor> sigmoid_cross_entropy(Inputs in, const Attrs&) {
  const Tensor& x = in[0];
  const Tensor tail = apply("Log1p"_op, {ops::exp(ops::neg(apply("Abs"_op, {x})))});
  return {ops::add(ops::sub(apply("Relu"_op, {x}), ops::mul(x, in[1])), tail)};
}

std::vector<Tensor> empty_value_list(Inputs, const Attrs& attrs) {
  const Shape shape = attrs.get_or("element_shape"_attr, Shape::unknown_rank());
  const Tensor asked = shape.has_rank() ? ops::ints(shape.dims()) : ops::integer(-1);
  return {apply("EmptyTensorList"_op, {asked, ops::integer(-1)},
                {{"element_dtype"_attr, attrs.get<DType>("element_dtype"_attr)}})};
}

// TensorFlow has no such op any more. Halves the matrix until no column's sum exceeds a half, where 15 terms of the
// series suffice for a double, then squares as often.
std::vector<Tensor> matrix_exponential(Inputs in, const Attrs&) {
  if (!ops::hooks.build_loop) return {};
  const Tensor& matrix = in[0];
  const auto for_matrices = [](const Tensor& t) { return ops::expand_dims(ops::expand_dims(t, -1), -1); };
  const DType dtype = matrix.dtype();
  const DType parts = dtype == DType::kComplex128 ? DType::kFloat64 : DType::kFloat32;
  const Tensor sizes =
      is_complex(dtype) ? apply("ComplexAbs"_op, {matrix}, {{"Tout"_attr, parts}}) : apply("Abs"_op, {matrix});
  const Tensor norm = apply("Max"_op, {ops::sum(sizes, ops::ints({-2})), ops::ints({-1})});
  const DType real = norm.dtype();
  const Tensor twos = ops::add(apply("Ceil"_op, {ops::scaled(ops::log(norm), 1 / std::log(2.))}), ops::number(1, real));
  const Tensor none = ops::zeros_like(norm);
  const Tensor times = ops::where(apply("IsFinite"_op, {norm}), ops::maximum(twos, none), none);
  const Tensor scale = apply("Pow"_op, {ops::number(2, real), ops::neg(times)});
  const Tensor small = ops::mul(matrix, ops::cast(for_matrices(scale), dtype));
  const Tensor zero = ops::integer(0, DType::kInt64);
  const Tensor identity = apply("MatrixBandPart"_op, {ops::ones_like(matrix), zero, zero});
  Tensor sum = identity;
  for (int term = 15; term > 0; --term)
    sum = ops::add(identity, ops::scaled(apply("BatchMatMulV2"_op, {small, sum}), 1. / term));
  const auto square = [&](const Tensor& i, const Tensor& value) {
    return ops::where(for_matrices(ops::less(ops::cast(i, real), times)), apply("BatchMatMulV2"_op, {value, value}),
                      value);
  };
  return {ops::hooks.build_loop(ops::cast(ops::max_of(times), DType::kInt32), sum, square)};
}

}  // namespace

Expansion expansion_of(const OpRow& row) {
  static const std::map<std::string_view, Expansion> kAll{{"EmptyValueList", empty_value_list},
                                                          {"GatherGrad", gather_grad},
                                                          {"MatrixExponential", matrix_exponential},
                                                          {"ProdOthers", prod_others},
                                                          {"ReducedShape", reduced_shape},
                                                          {"ScaleShift", scale_shift},
                                                          {"SigmoidCrossEntropy", sigmoid_cross_entropy}};
  const auto at = kAll.find(row.name);
  return at == kAll.end() ? nullptr : at->second;
}

}  // namespace footlight
