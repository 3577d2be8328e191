// Rows of ragged tensors as graphs of TensorFlow have them: splits of rows, and the values of all rows.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"

namespace footlight {
namespace {

Shape with_rest(Shape out, const Shape& values, int from) {
  if (!values.has_rank()) return Shape::unknown_rank();
  for (int d = from; d < values.rank(); ++d) out.append(values[d]);
  return out;
}

// The number of dimensions that `shape` gives is that of the partitions and of the values.
void to_tensor_shape(Inference& i) {
  i.output_shapes[0] = Shape::unknown_rank();
  const auto types = i.attrs.get_or("row_partition_types"_attr, std::vector<std::string>());
  if (types.empty()) invalid("No partition info provided. [Op:", i.row.name, "]");
  const Shape& values = i.shape(1);
  const auto deep = static_cast<int>(types.size()) - (types[0] == "FIRST_DIM_SIZE" ? 1 : 0);
  if (!values.has_rank()) return;
  if (values.rank() == 0) invalid("values must have at least one dimension [Op:", i.row.name, "]");
  Shape out = Shape::of_rank(deep + 1);
  if (const auto given = infer::constant_ints(i, 0);
      given && i.shape(0).has_rank() && i.shape(0).rank() == 1) {
    if (static_cast<int>(given->size()) != deep + values.rank())
      invalid("rt_input.shape and shape are incompatible: rt_input.rank = ", deep + values.rank(),
              " but shape.rank = ", given->size(), " [Op:", i.row.name, "]");
    for (int d = 0; d < deep + values.rank(); ++d) {
      const int64_t size = (*given)[static_cast<size_t>(d)], own = d > deep ? values[d - deep] : kUnknownDim;
      if (size < kUnknownDim) invalid("Dimension ", size, " must be >= -1 [Op:", i.row.name, "]");
      if (d <= deep)
        out.set(d, size);
      else if (size >= 0 && own >= 0 && size != own)
        invalid("rt_input.shape and shape are incompatible: rt_input.shape[", d, "] = ", own, " but shape[", d,
                "] = ", size, " [Op:", i.row.name, "]");
    }
  }
  i.output_shapes[0] = with_rest(out, values, 1);
}

void gather_shape(Inference& i) {
  const size_t splits = i.output_shapes.size() - 1;
  for (size_t k = 0; k < splits; ++k) i.output_shapes[k] = Shape{kUnknownDim};
  if (i.shape(i.inputs.size() - 1).fully_known() && splits)
    if (const Shape& indices = i.shape(i.inputs.size() - 1); indices.rank() == 1)
      i.output_shapes[0] = Shape{indices[0] + 1};
  i.output_shapes[splits] = with_rest(Shape{kUnknownDim}, i.shape(i.inputs.size() - 2), 1);
}

void range_shape(Inference& i) {
  int64_t rows = kUnknownDim;
  for (size_t k = 0; k < 3; ++k) {
    const Shape& s = i.shape(k);
    if (!s.has_rank()) continue;
    if (s.rank() > 1) invalid(i.row.inputs[k].name, " must be a scalar or vector [Op:", i.row.name, "]");
    if (s.rank() == 0 || s[0] < 0) continue;
    if (rows >= 0 && rows != s[0])
      invalid("starts, limits, and deltas must have the same shape [Op:", i.row.name, "]");
    rows = s[0];
  }
  bool scalars = true;
  for (size_t k = 0; k < 3; ++k) scalars &= i.shape(k).has_rank() && i.shape(k).rank() == 0;
  if (scalars) rows = 1;
  i.output_shapes[0] = Shape{rows < 0 ? kUnknownDim : rows + 1};
  i.output_shapes[1] = Shape{kUnknownDim};
}

void to_sparse_shape(Inference& i) {
  const Shape& values = i.shape(i.inputs.size() - 1);
  const int64_t rank =
      values.has_rank() ? static_cast<int64_t>(i.inputs.size()) - 1 + values.rank() : kUnknownDim;
  i.output_shapes[0] = Shape{kUnknownDim, rank};
  i.output_shapes[1] = Shape{kUnknownDim};
  i.output_shapes[2] = Shape{rank};
}

void to_variant_shape(Inference& i) {
  i.output_shapes[0] = Shape();
  if (!i.attrs.get_or("batched_input"_attr, false)) return;
  const Shape& first = i.shape(0);
  const bool of_splits = i.inputs.size() > 1;
  const int64_t rows =
      first.has_rank() && first.rank() > 0 ? first[0] - (of_splits && first[0] > 0 ? 1 : 0) : -1;
  i.output_shapes[0] = Shape{rows};
}

void from_variant_shape(Inference& i) {
  for (size_t k = 0; k + 1 < i.output_shapes.size(); ++k) i.output_shapes[k] = Shape{kUnknownDim};
  i.output_shapes[i.output_shapes.size() - 1] = Shape::unknown_rank();
}

// Finds where each value went by gathering the values' numbers in the same way.
void gather_gradient(GradientCall& c) {
  const Tensor& values = c.inputs[c.inputs.size() - 2];
  const Tensor count = ops::slice(ops::shape(values), ops::ints({0}), ops::ints({1}));
  const Tensor rows = ops::reshape(count, ops::ints({}));
  std::vector<Tensor> inputs(c.inputs.begin(), c.inputs.end());
  inputs[c.inputs.size() - 2] = apply("Range"_op, {ops::integer(0), rows, ops::integer(1)});
  const std::vector<Tensor> moved =
      apply_all(c.row, inputs,
                {{"PARAMS_RAGGED_RANK"_attr, static_cast<int64_t>(c.inputs.size() - 2)},
                 {"OUTPUT_RAGGED_RANK"_attr, static_cast<int64_t>(c.outputs.size() - 1)}});
  c.input_gradients[c.inputs.size() - 2] =
      apply("UnsortedSegmentSum"_op, {c.output_gradients.back(), moved.back(), rows});
}

// Converts the values' numbers, from 1 on, in the same way; 0 marks the default value.
void to_tensor_gradient(GradientCall& c) {
  const Tensor &values = c.inputs[1], &g = c.output_gradients[0];
  const Tensor all = ops::shape(values);
  const Tensor rows = ops::reshape(ops::slice(all, ops::ints({0}), ops::ints({1})), ops::ints({}));
  std::vector<Tensor> inputs(c.inputs.begin(), c.inputs.end());
  const Tensor inner = ops::sub(ops::rank(values), ops::integer(1));
  const Tensor whole = ops::shape(c.outputs[0], c.inputs[0].dtype());
  inputs[0] = ops::slice(whole, ops::ints({0}), ops::expand_dims(ops::sub(ops::size(whole), inner), 0));
  inputs[1] = apply("Range"_op, {ops::integer(1), ops::add(rows, ops::integer(1)), ops::integer(1)});
  inputs[2] = ops::integer(0);
  const Tensor numbers = apply_all(
      c.row, inputs,
      {{"row_partition_types"_attr, c.attrs.get_or("row_partition_types"_attr, std::vector<std::string>())}})[0];
  c.input_gradients[1] = apply("UnsortedSegmentSum"_op, {g, ops::sub(numbers, ops::integer(1)), rows});
  const Tensor unset = ops::where(ops::equal(numbers, ops::integer(0)), ops::integer(0), ops::integer(-1));
  const Tensor rest = ops::reshape(apply("UnsortedSegmentSum"_op, {g, unset, ops::integer(1)}),
                                   ops::slice(all, ops::ints({1}), ops::ints({-1})));
  c.input_gradients[2] = ops::sum_to_shape_of(rest, c.inputs[2]);
}

// Only the values have a gradient, the splits have none.
void to_variant_gradient(GradientCall& c) {
  const Tensor& values = c.inputs.back();
  const Tensor splits = c.inputs.size() > 1 ? c.inputs[0] : ops::integer(0, DType::kInt64);
  c.input_gradients[c.inputs.size() - 1] =
      apply("RaggedTensorToVariantGradient"_op, {c.output_gradients[0], splits, ops::shape(values)},
            {{"Tvalues"_attr, values.dtype()}});
}

void from_variant_gradient(GradientCall& c) {
  if (!c.output_gradients.back()) return;
  const Shape& encoded = c.inputs[0].shape();
  std::vector<Tensor> parts(c.outputs.begin(), c.outputs.end() - 1);
  parts.push_back(c.output_gradients.back());
  c.input_gradients[0] = apply_all("RaggedTensorToVariant"_op.row(), parts,
                                   {{"RAGGED_RANK"_attr, static_cast<int64_t>(parts.size() - 1)},
                                    {"batched_input"_attr, encoded.has_rank() && encoded.rank() == 1}})[0];
}

void variant_values_shape(Inference& i) { i.output_shapes[0] = infer::shape_from(i, 2); }

}  // namespace

FL_ROWS(ragged) {
  constexpr RowsOf move_row{OpFamily::kMove}, control_row{OpFamily::kControl};
  return {
      move_row(
          "RaggedTensorToTensor",
          "shape: Tshape, values: T, default_value: T, row_partition_tensors: num_row_partition_tensors*Tindex -> "
          "result: T",
          "T: any; Tindex: index; Tshape: index; num_row_partition_tensors: int; row_partition_types: list(string)",
          to_tensor_shape, to_tensor_gradient, "a ragged tensor as a whole one, with a value where its rows have none",
          {.dispatch = 1, .host_inputs = ~0u, .host_only = true}),
      move_row(
          "RaggedGather",
          "params_nested_splits: PARAMS_RAGGED_RANK*Tsplits, params_dense_values: Tvalues, indices: Tindices -> "
          "output_nested_splits: OUTPUT_RAGGED_RANK*Tsplits, output_dense_values: Tvalues",
          "Tvalues: any; Tindices: index; Tsplits: index = int64; PARAMS_RAGGED_RANK: int; OUTPUT_RAGGED_RANK: int",
          gather_shape, gather_gradient, "rows of a ragged tensor", {.host_inputs = ~0u, .host_only = true}),
      move_row("RaggedRange", "starts: T, limits: T, deltas: T -> rt_nested_splits: Tsplits, rt_dense_values: T",
               "T: float32|float64|int32|int64 = int32; Tsplits: index = int64", range_shape, nullptr,
               "a row of numbers with equal steps for each start",
               {.host_inputs = ~0u, .zero_gradient = true, .host_only = true}),
      move_row("RaggedTensorToSparse",
               "rt_nested_splits: RAGGED_RANK*Tsplits, rt_dense_values: T -> sparse_indices: int64, sparse_values: T, "
               "sparse_dense_shape: int64",
               "RAGGED_RANK: int; T: any; Tsplits: index = int64", to_sparse_shape, nullptr,
               "a ragged tensor as a sparse one", {.host_inputs = ~0u, .host_only = true}),
      control_row("RaggedTensorToVariant",
                  "rt_nested_splits: RAGGED_RANK*Tsplits, rt_dense_values: Tvalues -> encoded_ragged: variant",
                  "RAGGED_RANK: int; Tvalues: any; Tsplits: index = int64; batched_input: bool", to_variant_shape,
                  to_variant_gradient, "a ragged tensor, or each of its rows, as one value",
                  {.dispatch = -1, .host_inputs = ~0u, .host_only = true}),
      control_row(
          "RaggedTensorFromVariant",
          "encoded_ragged: variant -> output_nested_splits: output_ragged_rank*Tsplits, output_dense_values: Tvalues",
          "input_ragged_rank: int; output_ragged_rank: int; Tvalues: any; Tsplits: index = int64", from_variant_shape,
          from_variant_gradient, "ragged tensors, a value each, as the rows of one",
          {.host_inputs = ~0u, .host_only = true}),
      control_row(
          "RaggedTensorToVariantGradient",
          "encoded_ragged_grad: variant, row_splits: Tsplits, dense_values_shape: int32 -> dense_values_grad: Tvalues",
          "Tvalues: any; Tsplits: index = int64", variant_values_shape, nullptr,
          "the values of ragged tensors, a value each, behind one another", {.host_inputs = ~0u, .host_only = true}),
  };
}

}  // namespace footlight
