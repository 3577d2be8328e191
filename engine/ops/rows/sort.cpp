// Rows that sort and search: top_k, unique, bounds in sorted rows, fingerprints, edit distances.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"
#include "engine/tensor/size.h"

namespace footlight {

namespace {

void top_k_shape(Inference& i) {
  const Shape& in = i.shape(0);
  infer::check_rank(i, 1, 0);
  const auto k = infer::constant_ints(i, 1);
  if (k && k->at(0) < 0) invalid("Need k >= 0, got ", k->at(0), " [Op:TopKV2]");
  if (in.has_rank() && in.rank() == 0)
    invalid("input must have at least 1 dimension, got a scalar [Op:TopKV2]");
  Shape out = in;
  if (out.has_rank()) {
    const int64_t n = in[in.rank() - 1];
    if (k && n >= 0 && n < k->at(0))
      invalid("input must have at least k columns. Had ", n, ", needed ", k->at(0), " [Op:TopKV2]");
    out.set(in.rank() - 1, k ? k->at(0) : kUnknownDim);
  }
  for (Shape& s : i.output_shapes) s = out;
}

// The gradient of each value goes to its position in the source row.
void top_k_gradient(GradientCall& c) {
  if (!c.output_gradients[0]) return;
  const Tensor indices =
      c.outputs[1].dtype() == DType::kInt16 ? ops::cast(c.outputs[1], DType::kInt32) : c.outputs[1];
  c.input_gradients[0] =
      apply("GatherGrad"_op, {ops::shape(c.inputs[0]), indices, ops::integer(-1), c.output_gradients[0]},
            {{"batch_dims"_attr, int64_t{-1}}});
}

// The k largest or smallest along any dimension. They are exact, whatever recall is asked for.
void approximate_top_shape(Inference& i) {
  const Shape& in = i.shape(0);
  const int64_t k = i.attrs.get_or("k"_attr, int64_t{0});
  if (k < 0) invalid("Need k >= 0, got ", k, " [Op:ApproxTopK]");
  Shape out = in;
  if (in.has_rank()) {
    if (in.rank() == 0) invalid("input must have at least 1 dimension, got a scalar [Op:ApproxTopK]");
    const auto axis = static_cast<int>(
        infer::normalize_axis(i.attrs.get_or("reduction_dimension"_attr, int64_t{-1}), in.rank(), i.row));
    if (in[axis] >= 0 && in[axis] < k)
      invalid("input must have at least k columns. Had ", in[axis], ", needed ", k, " [Op:ApproxTopK]");
    out.set(axis, k);
  }
  for (Shape& s : i.output_shapes) s = out;
}

void approximate_top_gradient(GradientCall& c) {
  if (!c.output_gradients[0]) return;
  const Shape& in = c.inputs[0].shape();
  const int64_t given = c.attrs.get_or("reduction_dimension"_attr, int64_t{-1});
  if (!in.has_rank() && given != -1)
    fail(ErrorKind::kValue, "the gradient of ApproxTopK along dimension ", given,
         " needs an input whose number of dimensions is known; give it one with set_shape or ensure_shape");
  const auto along_last = [&](const Tensor& shape, const Tensor& indices, const Tensor& flowing) {
    return apply("GatherGrad"_op, {shape, indices, ops::integer(-1), flowing}, {{"batch_dims"_attr, int64_t{-1}}});
  };
  const int64_t axis = in.has_rank() && given < 0 ? given + in.rank() : given;
  if (!in.has_rank() || axis == in.rank() - 1) {
    c.input_gradients[0] = along_last(ops::shape(c.inputs[0]), c.outputs[1], c.output_gradients[0]);
    return;
  }
  std::vector<int64_t> order(static_cast<size_t>(in.rank()));
  for (size_t d = 0; d < order.size(); ++d) order[d] = static_cast<int64_t>(d);
  std::swap(order.back(), order[static_cast<size_t>(axis)]);
  const Tensor swapped = ops::ints(order);
  c.input_gradients[0] = ops::transpose(
      along_last(ops::gather(ops::shape(c.inputs[0]), swapped), ops::transpose(c.outputs[1], swapped),
                 ops::transpose(c.output_gradients[0], swapped)),
      swapped);
}

void in_top_k_shape(Inference& i) {
  infer::check_rank(i, 0, 2);
  infer::check_rank(i, 1, 1);
  if (i.shape(2).has_rank() && i.shape(2).rank() != 0)
    invalid("k must be 0-D, got shape ", i.shape(2).brackets(), " [Op:InTopKV2]");
  const Shape &predictions = i.shape(0), &targets = i.shape(1);
  int64_t rows = predictions.has_rank() ? predictions[0] : kUnknownDim;
  const int64_t wanted = targets.has_rank() ? targets[0] : kUnknownDim;
  if (rows >= 0 && wanted >= 0 && rows != wanted)
    invalid("First dimension of predictions ", rows, " must match length of targets ", wanted,
            " [Op:InTopKV2]");
  i.output_shapes[0] = Shape{rows >= 0 ? rows : wanted};
}

void unique_shape(Inference& i) {
  if (i.shape(0).has_rank() && i.shape(0).rank() != 1)
    invalid("unique expects a 1D vector, the shape is ", i.shape(0).to_string(), " [Op:", i.row.name, "]");
  infer::vector(i);
  if (i.shape(0).has_rank()) i.output_shapes[1] = i.shape(0);
}

// The axis of the slices is a vector with at most one number.
void unique_slices_shape(Inference& i) {
  infer::check_rank(i, 1, 1);
  const Shape& in = i.shape(0);
  const auto axes = infer::constant_ints(i, 1);
  i.output_shapes[0] = in.has_rank() ? Shape::of_rank(in.rank()) : Shape::unknown_rank();
  for (size_t k = 1; k < i.output_shapes.size(); ++k) i.output_shapes[k] = Shape::of_rank(1);
  if (!axes || !in.has_rank()) return;
  if (axes->size() > 1) invalid("axis does not support input tensors larger than 1 elements [Op:", i.row.name, "]");
  if (axes->empty() && in.rank() != 1)
    invalid("unique expects a 1D vector, the shape is ", in.to_string(), " [Op:", i.row.name, "]");
  const auto axis = static_cast<int>(axes->empty() ? 0 : infer::normalize_axis((*axes)[0], in.rank(), i.row));
  Shape out = in;
  out.set(axis, kUnknownDim);
  i.output_shapes[0] = out;
  i.output_shapes[1] = Shape{in[axis]};
}

void bound_shape(Inference& i) {
  const Shape &sorted = i.shape(0), &values = i.shape(1);
  infer::check_rank(i, 0, 2);
  infer::check_rank(i, 1, 2);
  if (sorted.has_rank() && values.has_rank() && sorted[0] >= 0 && values[0] >= 0 && sorted[0] != values[0])
    invalid("Leading dim_size of both tensors must match: ", sorted.brackets(), " and ", values.brackets(),
            " [Op:", i.row.name, "]");
  i.output_shapes[0] = values;
}

void fingerprint_shape(Inference& i) {
  infer::check_rank(i, 1, 0);
  const Shape& data = i.shape(0);
  if (data.has_rank() && data.rank() == 0)
    invalid("Fingerprint expects at least a vector, got a scalar [Op:Fingerprint]");
  i.output_shapes[0] = Shape{data.has_rank() ? data[0] : kUnknownDim, 8};
}

// There is one distance per group: the shape has all dimensions but the last.
void edit_distance_shape(Inference& i) {
  for (size_t k : {size_t{0}, size_t{3}}) {
    infer::check_rank(i, k, 2);
    infer::check_rank(i, k + 1, 1);
    infer::check_rank(i, k + 2, 1);
  }
  const auto a = infer::constant_ints(i, 2), b = infer::constant_ints(i, 5);
  if (!a || !b) {
    const Shape &x = i.shape(2), &y = i.shape(5);
    const int64_t n = x.has_rank() && x[0] > 0 ? x[0] : y.has_rank() ? y[0] : kUnknownDim;
    i.output_shapes[0] = n > 0 ? unknown_dimensions(n - 1) : Shape::unknown_rank();
    return;
  }
  if (a->size() != b->size())
    invalid("hypothesis and truth must have the same rank, they have ", a->size(), " and ", b->size(),
            " dimensions [Op:EditDistance]");
  Shape out;
  for (size_t d = 0; d + 1 < a->size(); ++d) {
    if ((*a)[d] < 0 || (*b)[d] < 0)
      invalid("the shapes of hypothesis and truth cannot hold a negative size [Op:EditDistance]");
    out.append(std::max((*a)[d], (*b)[d]));
  }
  i.output_shapes[0] = out;
}

}  // namespace

FL_ROWS(sort) {
  constexpr RowsOf move_row{OpFamily::kMove}, reduction_row{OpFamily::kReduction};
  const RowDef::Properties nothing{.zero_gradient = true};
  return {
      move_row("TopKV2", "input: T, k: Tk -> values: T, indices: index_type",
               "sorted: bool = true; T: real; Tk: index|int16 = int32; index_type: index|int16 = int32", top_k_shape,
               top_k_gradient, "the k largest elements of each row, and their indices",
               {.host_inputs = 2, .flops = flops::sorting}),
      move_row("ApproxTopK", "input: T -> values: T, indices: int32",
               "k: int; reduction_dimension: int = -1; recall_target: float = 0.95; is_max_k: bool = true; "
               "reduction_input_size_override: int = -1; aggregate_to_topk: bool = true; T: float16|bfloat16|float32",
               approximate_top_shape, approximate_top_gradient,
               "the k largest or smallest elements along a dimension, and their indices", {.flops = flops::sorting}),
      reduction_row("InTopKV2", "predictions: float32, targets: T, k: T -> precision: bool", "T: index = int32",
                    in_top_k_shape, nullptr, "whether the target is among the k largest of its row",
                    {.dispatch = 1, .host_inputs = 4, .zero_gradient = true}),
      move_row("Unique", "x: T -> y: T, idx: out_idx", "T: any; out_idx: index = int32", unique_shape, nullptr,
               "the distinct values in order of first occurrence, and the index of each element among them"),
      move_row("UniqueWithCounts", "x: T -> y: T, idx: out_idx, count: out_idx", "T: any; out_idx: index = int32",
               unique_shape, nullptr, "the distinct values, the index of each element among them, and their counts"),
      move_row("UniqueV2", "x: T, axis: Taxis -> y: T, idx: out_idx",
               "T: any; Taxis: index = int64; out_idx: index = int32", unique_slices_shape, nullptr,
               "the distinct slices along an axis, and the index of each among them", {.host_inputs = 2}),
      move_row("UniqueWithCountsV2", "x: T, axis: Taxis -> y: T, idx: out_idx, count: out_idx",
               "T: any; Taxis: index = int64; out_idx: index = int32", unique_slices_shape, nullptr,
               "the distinct slices along an axis, the index of each among them, and their counts", {.host_inputs = 2}),
      move_row("LowerBound", "sorted_inputs: T, values: T -> output: out_type", "T: any; out_type: index = int32",
               bound_shape, nullptr, "how many in a sorted row are less than each value", nothing),
      move_row("UpperBound", "sorted_inputs: T, values: T -> output: out_type", "T: any; out_type: index = int32",
               bound_shape, nullptr, "how many in a sorted row are not greater than each value", nothing),
      reduction_row("Fingerprint", "data: T, method: string -> fingerprint: uint8", "T: any", fingerprint_shape,
                    nullptr, "an 8-byte fingerprint of each row", {.host_inputs = 2, .zero_gradient = true}),
      reduction_row("EditDistance",
                    "hypothesis_indices: int64, hypothesis_values: T, hypothesis_shape: int64, truth_indices: int64, "
                    "truth_values: T, truth_shape: int64 -> output: float32",
                    "normalize: bool = true; T: any", edit_distance_shape, nullptr,
                    "how many changes make each sequence the other one", {.dispatch = 1, .host_inputs = 36}),
  };
}

}  // namespace footlight
