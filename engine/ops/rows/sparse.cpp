// Rows of sparse tensors as graphs of TensorFlow have them: indices in the order of rows, a value each, a
// shape.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"
#include "engine/tensor/size.h"

#include <array>

namespace footlight {
namespace {

[[noreturn]] void differing_ranks(Inference& i, int64_t indices, int64_t shape) {
  invalid("the parts of a sparse tensor do not fit together: indices of ", indices, " dimensions, a shape of ", shape,
          " [Op:", i.row.name, "]");
}
// The rank of the sparse tensor, from its shape or its indices; -1 if unknown.
int64_t sparse_rank(Inference& i, size_t indices, size_t shape) {
  infer::check_rank(i, indices, 2);
  infer::check_rank(i, shape, 1);
  const int64_t own = i.shape(shape).has_rank() ? i.shape(shape)[0] : kUnknownDim,
                wide = i.shape(indices).has_rank() ? i.shape(indices)[1] : kUnknownDim;
  if (own >= 0 && wide >= 0 && own != wide) differing_ranks(i, wide, own);
  return own >= 0 ? own : wide;
}
// The number of values; kUnknownDim if unknown.
int64_t sparse_count(Inference& i, size_t indices, size_t values) {
  infer::check_rank(i, values, 1);
  const int64_t places =
      i.shape(indices).has_rank() && i.shape(indices).rank() == 2 ? i.shape(indices)[0] : -1;
  const int64_t count = i.shape(values).has_rank() ? i.shape(values)[0] : kUnknownDim;
  if (places >= 0 && count >= 0 && places != count)
    invalid("Number of values must match first dimension of indices. Got ", count,
            " values, indices shape: ", i.shape(indices).brackets(), " [Op:", i.row.name, "]");
  return count >= 0 ? count : places;
}
void three(Inference& i, int64_t count, int64_t rank, size_t first = 0) {
  i.output_shapes[first] = Shape{count, rank};
  i.output_shapes[first + 1] = Shape{count};
  if (i.output_shapes.size() > first + 2) i.output_shapes[first + 2] = Shape{rank};
}

void reorder_shape(Inference& i) { three(i, sparse_count(i, 0, 1), sparse_rank(i, 0, 2)); }

void to_dense_shape(Inference& i) {
  infer::check_rank(i, 3, 0);
  i.output_shapes[0] = infer::shape_from(i, 1);
}

void product_shape(Inference& i) {
  sparse_count(i, 0, 1);
  infer::check_rank(i, 3, 2);
  const bool a = i.attrs.get_or("adjoint_a"_attr, false), b = i.attrs.get_or("adjoint_b"_attr, false);
  const Shape dense = i.shape(3).has_rank() ? i.shape(3) : Shape::of_rank(2);
  Shape left = infer::shape_from(i, 2);
  if (!left.has_rank()) left = Shape::of_rank(2);
  if (left.rank() != 2)
    invalid("Tensor 'a_shape' must have 2 elements, it has ", left.rank(), " [Op:", i.row.name, "]");
  const int64_t inner = left[a ? 0 : 1], other = dense[b ? 1 : 0];
  if (inner >= 0 && other >= 0 && inner != other)
    invalid("Cannot multiply A and B because inner dimension does not match: ", inner, " vs. ", other,
            ".  Did you forget a transpose?  Dimensions of A: ", left.brackets(),
            ".  Dimensions of B: ", dense.brackets(), " [Op:", i.row.name, "]");
  i.output_shapes[0] = Shape{left[a ? 1 : 0], dense[b ? 0 : 1]};
}

void extreme_shape(Inference& i) {
  sparse_count(i, 0, 1);
  sparse_count(i, 3, 4);
  three(i, kUnknownDim, sparse_rank(i, 0, 2));
}
void add_shape(Inference& i) {
  infer::check_rank(i, 6, 0);
  extreme_shape(i);
}
void add_gradient_shape(Inference& i) {
  for (size_t k = 0; k < 2; ++k)
    i.output_shapes[k] = Shape{i.shape(k + 1).has_rank() ? i.shape(k + 1)[0] : kUnknownDim};
}
void like_dense(Inference& i) {
  sparse_count(i, 0, 1);
  i.output_shapes[0] = i.shape(3);
}
void like_values(Inference& i) { i.output_shapes[0] = Shape{sparse_count(i, 0, 1)}; }

void reshaped_shape(Inference& i) {
  infer::check_rank(i, 0, 2);
  infer::check_rank(i, 1, 1);
  infer::check_rank(i, 2, 1);
  const int64_t rank = i.shape(2).has_rank() ? i.shape(2)[0] : kUnknownDim;
  i.output_shapes[0] = Shape{i.shape(0).has_rank() ? i.shape(0)[0] : kUnknownDim, rank};
  i.output_shapes[1] = Shape{rank};
}

void concat_shape(Inference& i) {
  const size_t n = i.inputs.size() / 3;
  if (!n) invalid("there are no sparse tensors to join [Op:", i.row.name, "]");
  int64_t count = 0, rank = kUnknownDim;
  for (size_t k = 0; k < n; ++k) {
    const int64_t more = sparse_count(i, k, n + k), own = sparse_rank(i, k, 2 * n + k);
    count = add_sizes(count, more);
    if (own >= 0) rank = own;
  }
  three(i, count, rank);
}

void slice_shape(Inference& i) {
  sparse_count(i, 0, 1);
  three(i, kUnknownDim, sparse_rank(i, 0, 2));
}
void slice_gradient_shape(Inference& i) {
  infer::check_rank(i, 1, 2);
  i.output_shapes[0] = Shape{i.shape(1).has_rank() ? i.shape(1)[0] : kUnknownDim};
}

void split_shape(Inference& i) {
  if (!i.attrs.find("num_split"_attr)) invalid("the attribute 'num_split' is missing [Op:", i.row.name, "]");
  const size_t n = i.output_shapes.size() / 3;
  if (!n) invalid("Input num_split should be at least 1, got 0 [Op:", i.row.name, "]");
  const int64_t rank = sparse_rank(i, 1, 3);
  for (size_t k = 0; k < n; ++k) {
    i.output_shapes[k] = Shape{kUnknownDim, rank};
    i.output_shapes[n + k] = Shape{kUnknownDim};
    i.output_shapes[2 * n + k] = Shape{rank};
  }
}

void reduced_shape(Inference& i) {
  sparse_count(i, 0, 1);
  i.output_shapes[0] = Shape::unknown_rank();
  const auto axes = infer::constant_ints(i, 3);
  const auto rank = static_cast<int>(sparse_rank(i, 0, 2));
  if (!axes || rank < 0) return;
  // The rank may be known from the indices alone.
  Shape whole = infer::shape_from(i, 2);
  if (!whole.has_rank()) whole = unknown_dimensions(rank);
  if (whole.rank() != rank) differing_ranks(i, rank, whole.rank());
  std::vector<bool> gone(static_cast<size_t>(rank));
  for (const int64_t axis : *axes) gone[static_cast<size_t>(infer::normalize_axis(axis, rank, i.row))] = true;
  Shape out = Shape{};
  for (int d = 0; d < rank; ++d)
    if (!gone[static_cast<size_t>(d)])
      out.append(whole[d]);
    else if (i.attrs.get_or("keep_dims"_attr, false))
      out.append(1);
  i.output_shapes[0] = out;
}

void filled_shape(Inference& i) {
  infer::check_rank(i, 3, 0);
  const int64_t count = sparse_count(i, 0, 1);
  i.output_shapes[0] = Shape{kUnknownDim, sparse_rank(i, 0, 2)};
  i.output_shapes[1] = Shape{kUnknownDim};
  const auto rows = infer::constant_ints(i, 2);
  if (rows && rows->empty()) invalid("Dense shape cannot be empty. [Op:", i.row.name, "]");
  i.output_shapes[2] = Shape{rows ? rows->at(0) : kUnknownDim};
  i.output_shapes[3] = Shape{count};
}
void filled_gradient_shape(Inference& i) {
  infer::check_rank(i, 0, 1);
  infer::check_rank(i, 1, 1);
  i.output_shapes[0] = i.shape(0).has_rank() ? i.shape(0) : Shape{kUnknownDim};
  i.output_shapes[1] = Shape();
}

Tensor at_places(const Tensor& dense, const Tensor& indices) { return apply("GatherNd"_op, {dense, indices}); }
Tensor column(const Tensor& matrix, int64_t k) {
  return ops::squeeze(ops::slice(matrix, ops::ints({0, k}), ops::ints({-1, 1})), {1});
}
Tensor divided(const Tensor& a, const Tensor& b) { return apply("FloorDiv"_op, {a, b}); }

void reorder_gradient(GradientCall& c) {
  const Tensor count = ops::cast(ops::size(c.inputs[1]), DType::kInt64);
  const Tensor places = apply("Range"_op, {ops::integer(0, DType::kInt64), count, ops::integer(1, DType::kInt64)});
  const std::vector<Tensor> order = apply_all(c.row, std::array{c.inputs[0], places, c.inputs[2]}, {});
  c.input_gradients[1] = ops::gather(c.output_gradients[1], apply("InvertPermutation"_op, {order[1]}));
}

void to_dense_gradient(GradientCall& c) {
  const Tensor &places = c.inputs[0], &g = c.output_gradients[0];
  const Shape& shape = places.shape();
  const Tensor width = ops::expand_dims(ops::size(c.inputs[1]), 0), all = ops::ints({-1});
  const Tensor rows = shape.has_rank() && shape.rank() == 2
                          ? places
                          : ops::reshape(places, ops::concat(std::array{all, width}, 0));
  const Tensor values = at_places(g, rows);
  c.input_gradients[3] = ops::sub(ops::sum(g, ops::all_axes(g)), ops::sum(values, ops::all_axes(values)));
  c.input_gradients[2] = ops::sum_to_shape_of(values, c.inputs[2]);
}

void product_gradient(GradientCall& c) {
  const bool a = c.attrs.get_or("adjoint_a"_attr, false), b = c.attrs.get_or("adjoint_b"_attr, false);
  const Tensor &g = c.output_gradients[0], &dense = c.inputs[3];
  const auto adjoint = [](const Tensor& t) { return ops::conj(ops::transpose(t, ops::ints({1, 0}))); };
  const Tensor to_dense =
      apply(Op(c.row.name), {c.inputs[0], c.inputs[1], c.inputs[2], g}, {{"adjoint_a"_attr, !a}});
  c.input_gradients[3] = b ? adjoint(to_dense) : to_dense;
  const Tensor rows = column(c.inputs[0], a ? 1 : 0), columns = column(c.inputs[0], a ? 0 : 1);
  const Tensor from_g = ops::gather(g, rows), from_dense = ops::gather(b ? adjoint(dense) : dense, columns);
  const Tensor both = a ? ops::mul(ops::conj(from_g), from_dense) : ops::mul(from_g, ops::conj(from_dense));
  c.input_gradients[1] = ops::sum(both, ops::ints({1}));
}

void add_gradient(GradientCall& c) {
  const std::vector<Tensor> made = apply_all(
      "SparseAddGrad"_op.row(), std::array{c.output_gradients[1], c.inputs[0], c.inputs[3], c.outputs[0]}, {});
  c.input_gradients[1] = made[0];
  c.input_gradients[4] = made[1];
}

void add_dense_gradient(GradientCall& c) {
  c.input_gradients[1] = at_places(c.output_gradients[0], c.inputs[0]);
  c.input_gradients[3] = c.output_gradients[0];
}

// The places in `dense`, which is broadcast to the sparse tensor.
Tensor places_in(const Tensor& indices, const Tensor& shape, const Tensor& dense) {
  const Tensor own = ops::shape(dense, DType::kInt64);
  const Tensor more = ops::sub(ops::size(shape), ops::size(own));
  const Tensor lengths[] = {ops::fill(ops::expand_dims(more, 0), ops::integer(1, DType::kInt64)), own};
  const Tensor scaled = divided(indices, divided(shape, ops::concat(lengths, 0)));
  const Tensor begin = ops::pack(std::array{ops::integer(0), more}, 0);
  return ops::slice(scaled, begin, ops::ints({-1, -1}));
}
void with_dense_sum_gradient(GradientCall& c) {
  const Tensor &dense = c.inputs[3], &g = c.output_gradients[0];
  c.input_gradients[1] = g;
  c.input_gradients[3] =
      apply("ScatterNd"_op, {places_in(c.inputs[0], c.inputs[2], dense), g, ops::shape(dense, DType::kInt64)});
}
template <bool quotient>
void with_dense_gradient(GradientCall& c) {
  const Tensor &values = c.inputs[1], &dense = c.inputs[3], &g = c.output_gradients[0];
  const Tensor places = places_in(c.inputs[0], c.inputs[2], dense);
  const Tensor there = at_places(dense, places);
  c.input_gradients[1] = quotient ? ops::div(g, there) : ops::mul(g, there);
  const Tensor to_dense =
      quotient ? ops::neg(ops::div(ops::mul(g, values), ops::square(there))) : ops::mul(g, values);
  c.input_gradients[3] = apply("ScatterNd"_op, {places, to_dense, ops::shape(dense, DType::kInt64)});
}

void softmax_gradient(GradientCall& c) {
  const Tensor &indices = c.inputs[0], &shape = c.inputs[2], &y = c.outputs[0], &g = c.output_gradients[0];
  const Tensor along = apply("SparseReduceSum"_op, {indices, ops::neg(ops::mul(g, y)), shape, ops::ints({-1})},
                             {{"keep_dims"_attr, true}});
  c.input_gradients[1] = ops::mul(apply("SparseDenseCwiseAdd"_op, {indices, g, shape, along}), y);
}

void slice_gradient(GradientCall& c) {
  c.input_gradients[1] = apply("SparseSliceGrad"_op, {c.output_gradients[1], c.inputs[0], c.inputs[3], c.outputs[0]});
}

void reduced_gradient(GradientCall& c) {
  const Tensor& shape = c.inputs[2];
  const Tensor axes = ops::reshape(c.inputs[3], ops::ints({-1, 1}));
  const Tensor places = apply("FloorMod"_op, {axes, ops::size(shape)});
  const Tensor ones =
      ops::fill(ops::shape(ops::reshape(axes, ops::ints({-1}))), ops::integer(1, DType::kInt64));
  const Tensor kept = apply("TensorScatterUpdate"_op, {shape, places, ones});
  const Tensor scaled = divided(c.inputs[0], divided(shape, kept));
  c.input_gradients[1] = at_places(ops::reshape(c.output_gradients[0], kept), scaled);
}

void filled_gradient(GradientCall& c) {
  const std::vector<Tensor> made =
      apply_all("SparseFillEmptyRowsGrad"_op.row(), std::array{c.outputs[3], c.output_gradients[1]}, {});
  c.input_gradients[1] = made[0];
  c.input_gradients[3] = made[1];
}

}  // namespace

FL_ROWS(sparse) {
  constexpr RowsOf move_row{OpFamily::kMove}, product_row{OpFamily::kProduct}, reduction_row{OpFamily::kReduction};
  const RowDef::Properties host{.host_inputs = ~0u, .host_only = true};
  const RowDef::Properties by_values{.dispatch = 1, .host_inputs = ~0u, .host_only = true};
  return {
      move_row("SparseReorder",
               "input_indices: int64, input_values: T, input_shape: int64 -> output_indices: int64, output_values: T",
               "T: any", reorder_shape, reorder_gradient, "a sparse tensor with its places in the order of rows",
               by_values),
      move_row("SparseToDense",
               "sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, default_value: T -> dense: T",
               "validate_indices: bool = true; T: any; Tindices: index", to_dense_shape, to_dense_gradient,
               "a tensor with values at some places and one value everywhere else",
               {.dispatch = 2, .host_inputs = ~0u, .host_only = true}),
      product_row("SparseTensorDenseMatMul", "a_indices: Tindices, a_values: T, a_shape: int64, b: T -> product: T",
                  "T: any; Tindices: index = int64; adjoint_a: bool = false; adjoint_b: bool = false", product_shape,
                  product_gradient, "the product of a sparse and of another matrix", by_values),
      reduction_row("SparseAdd",
                    "a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape: int64, "
                    "thresh: Treal -> sum_indices: int64, sum_values: T, sum_shape: int64",
                    "T: numbers; Treal: real", add_shape, add_gradient,
                    "the sum of two sparse tensors, without values smaller than thresh", by_values),
      move_row("SparseAddGrad",
               "backprop_val_grad: T, a_indices: int64, b_indices: int64, sum_indices: int64 -> a_val_grad: T, "
               "b_val_grad: T",
               "T: numbers", add_gradient_shape, nullptr, "the gradient of SparseAdd for the values", host),
      reduction_row("SparseSparseMaximum",
                    "a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape: int64 -> "
                    "output_indices: int64, output_values: T",
                    "T: real", extreme_shape, nullptr, "the larger of the values of two sparse tensors", by_values),
      reduction_row("SparseSparseMinimum",
                    "a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape: int64 -> "
                    "output_indices: int64, output_values: T",
                    "T: real", extreme_shape, nullptr, "the smaller of the values of two sparse tensors", by_values),
      reduction_row("SparseTensorDenseAdd", "a_indices: Tindices, a_values: T, a_shape: Tindices, b: T -> output: T",
                    "T: numbers; Tindices: index", like_dense, add_dense_gradient,
                    "the sum of a sparse and of another tensor", by_values),
      reduction_row("SparseDenseCwiseAdd", "sp_indices: int64, sp_values: T, sp_shape: int64, dense: T -> output: T",
                    "T: numbers", like_values, with_dense_sum_gradient,
                    "the values of a sparse tensor plus those of another at their places", by_values),
      reduction_row("SparseDenseCwiseMul", "sp_indices: int64, sp_values: T, sp_shape: int64, dense: T -> output: T",
                    "T: numbers", like_values, with_dense_gradient<false>,
                    "the values of a sparse tensor times those of another at their places", by_values),
      reduction_row("SparseDenseCwiseDiv", "sp_indices: int64, sp_values: T, sp_shape: int64, dense: T -> output: T",
                    "T: numbers", like_values, with_dense_gradient<true>,
                    "the values of a sparse tensor divided by those of another at their places", by_values),
      reduction_row("SparseSoftmax", "sp_indices: int64, sp_values: T, sp_shape: int64 -> output: T", "T: floats",
                    like_values, softmax_gradient, "softmax of the values in each row of a sparse tensor", by_values),
      move_row(
          "SparseReshape",
          "input_indices: int64, input_shape: int64, new_shape: int64 -> output_indices: int64, output_shape: int64",
          "", reshaped_shape, nullptr, "the places of a sparse tensor in another shape",
          {.host_inputs = ~0u, .zero_gradient = true, .host_only = true}),
      move_row("SparseConcat",
               "indices: N*int64, values: N*T, shapes: N*int64 -> output_indices: int64, output_values: T, "
               "output_shape: int64",
               "concat_dim: int; N: int; T: any", concat_shape, nullptr, "sparse tensors joined along a dimension",
               {.host_inputs = ~0u, .host_only = true}),
      move_row("SparseSlice",
               "indices: int64, values: T, shape: int64, start: int64, size: int64 -> output_indices: int64, "
               "output_values: T, output_shape: int64",
               "T: any", slice_shape, slice_gradient, "a part of a sparse tensor", by_values),
      move_row("SparseSliceGrad",
               "backprop_val_grad: T, input_indices: int64, input_start: int64, output_indices: int64 -> val_grad: T",
               "T: numbers", slice_gradient_shape, nullptr, "the gradient of SparseSlice for the values", host),
      move_row("SparseSplit",
               "split_dim: int64, indices: int64, values: T, shape: int64 -> output_indices: num_split*int64, "
               "output_values: num_split*T, output_shape: num_split*int64",
               "num_split: int; T: any", split_shape, nullptr, "parts of a sparse tensor along a dimension",
               {.dispatch = 2, .host_inputs = ~0u, .host_only = true}),
      reduction_row("SparseReduceSum",
                    "input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32 -> output: T",
                    "keep_dims: bool = false; T: numbers", reduced_shape, reduced_gradient,
                    "the sum of a sparse tensor over some dimensions", by_values),
      reduction_row("SparseReduceMax",
                    "input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32 -> output: T",
                    "keep_dims: bool = false; T: real", reduced_shape, nullptr,
                    "the largest value of a sparse tensor over some dimensions, of those that it has", by_values),
      move_row("SparseFillEmptyRows",
               "indices: int64, values: T, dense_shape: int64, default_value: T -> output_indices: int64, "
               "output_values: T, empty_row_indicator: bool, reverse_index_map: int64",
               "T: any", filled_shape, filled_gradient, "a sparse tensor with a value in each row that had none",
               by_values),
      reduction_row("SparseFillEmptyRowsGrad",
                    "reverse_index_map: int64, grad_values: T -> d_values: T, d_default_value: T", "T: any",
                    filled_gradient_shape, nullptr, "the gradient of SparseFillEmptyRows for the values", by_values),
  };
}

}  // namespace footlight
