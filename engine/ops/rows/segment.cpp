// Rows that reduce segments of rows, and that count: segment_sum and the like, bincount, histogram.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"

namespace footlight {

namespace {

Tensor both(const Tensor& x, const Tensor& y) { return apply("LogicalAnd"_op, {x, y}); }
Tensor zero_of(const Tensor& t) { return ops::number(0, t.dtype()); }

// Appends dimensions of 1 to x until it has the rank of `like`.
Tensor with_rank_of(const Tensor& x, const Tensor& like) {
  const Shape &from = x.shape(), &to = like.shape();
  const Tensor shape = ops::shape(x);
  Tensor ones;
  if (from.has_rank() && to.has_rank()) {
    if (from.rank() == to.rank()) return x;
    ones = ops::ints(std::vector<int64_t>(static_cast<size_t>(to.rank() - from.rank()), 1));
  } else {
    const Tensor more = ops::sub(ops::rank(like), ops::rank(x));
    ones = ops::fill(ops::expand_dims(more, 0), ops::integer(1));
  }
  return ops::reshape(x, ops::concat({shape, ones}, 0));
}

void check_integer_ids(Inference& i) {
  const Shape &data = i.shape(0), &ids = i.shape(1);
  infer::check_rank(i, 1, 1);
  if (data.has_rank() && data.rank() == 0)
    invalid("data must be at least rank 1, got a scalar [Op:", i.row.name, "]");
  if (data.has_rank() && ids.has_rank() && data[0] >= 0 && ids[0] >= 0 && data[0] != ids[0])
    invalid("segment_ids should be the same size as dimension 0 of input: ", ids[0], " ids for ", data[0],
            " rows [Op:", i.row.name, "]");
}

// The number of rows follows from the last id.
void segment_shape(Inference& i) {
  check_integer_ids(i);
  const Shape& data = i.shape(0);
  i.output_shapes[0] = data;
  if (data.has_rank()) i.output_shapes[0].set(0, kUnknownDim);
}

void segment_sum_gradient(GradientCall& c) { c.input_gradients[0] = ops::gather(c.output_gradients[0], c.inputs[1]); }

void segment_mean_gradient(GradientCall& c) {
  const Tensor ones = ops::fill(ops::shape(c.inputs[1]), ops::number(1, c.inputs[0].dtype()));
  const Tensor counts = apply("SegmentSum"_op, {with_rank_of(ones, c.inputs[0]), c.inputs[1]});
  c.input_gradients[0] = ops::gather(ops::div(c.output_gradients[0], counts), c.inputs[1]);
}

// The elements that hold the extreme value share the gradient evenly.
void segment_extreme_gradient(GradientCall& c) {
  const Tensor &x = c.inputs[0], &ids = c.inputs[1], &g = c.output_gradients[0];
  const Tensor chosen = ops::equal(x, ops::gather(c.outputs[0], ids));
  const Tensor share = ops::div(g, apply("SegmentSum"_op, {ops::cast(chosen, g.dtype()), ids}));
  c.input_gradients[0] = ops::where(chosen, ops::gather(share, ids), zero_of(g));
}

// The derivative is the product of the other elements: the whole product divided by the element, or for a single zero
// the product of the nonzero ones. With two zeros it is 0.
void segment_prod_gradient(GradientCall& c) {
  const Tensor &x = c.inputs[0], &ids = c.inputs[1], &g = c.output_gradients[0];
  const Tensor is_zero = ops::equal(x, zero_of(x));
  const Tensor zeros = apply("SegmentSum"_op, {ops::cast(is_zero, DType::kInt32), ids});
  const Tensor flowing = ops::where(ops::greater(zeros, ops::integer(1)), zero_of(g), g);
  const Tensor nonzero = ops::where(is_zero, ops::number(1, x.dtype()), x);
  const Tensor of_nonzero = ops::gather(apply("SegmentProd"_op, {nonzero, ids}), ids);
  const Tensor whole = ops::gather(c.outputs[0], ids);
  c.input_gradients[0] =
      ops::mul(ops::gather(flowing, ids), ops::where(is_zero, of_nonzero, ops::div(whole, nonzero)));
}

void unsorted_shape(Inference& i) {
  const Shape &data = i.shape(0), &ids = i.shape(1);
  infer::check_rank(i, 2, 0);
  i.output_shapes[0] = Shape::unknown_rank();
  const auto count = infer::constant_ints(i, 2);
  if (count && count->at(0) < 0)
    invalid("Input num_segments == ", count->at(0), " must not be negative [Op:", i.row.name, "]");
  if (!data.has_rank() || !ids.has_rank()) return;
  if (ids.rank() > data.rank() || !compatible(ids, Shape(data.dims().first(static_cast<size_t>(ids.rank())))))
    invalid("data.shape = ", data.brackets(), " does not start with segment_ids.shape = ", ids.brackets(),
            " [Op:", i.row.name, "]");
  Shape out{count ? count->at(0) : kUnknownDim};
  for (int d = ids.rank(); d < data.rank(); ++d) out.append(data[d]);
  i.output_shapes[0] = out;
}

// Rows by id, zeros for negative ids; `kept` says which are not negative.
Tensor gather_kept(const Tensor& params, const Tensor& ids, Tensor* kept = nullptr) {
  const Tensor rows = ops::gather(params, ops::maximum(ids, ops::zeros_like(ids)));
  Tensor is_kept = with_rank_of(apply("GreaterEqual"_op, {ids, zero_of(ids)}), rows);
  if (kept) *kept = is_kept;
  return ops::where(is_kept, rows, zero_of(rows));
}

void unsorted_sum_gradient(GradientCall& c) { c.input_gradients[0] = gather_kept(c.output_gradients[0], c.inputs[1]); }

void unsorted_extreme_gradient(GradientCall& c) {
  const Tensor &x = c.inputs[0], &ids = c.inputs[1], &g = c.output_gradients[0];
  Tensor kept;
  const Tensor chosen = both(ops::equal(x, gather_kept(c.outputs[0], ids, &kept)), kept);
  const Tensor holders = apply("UnsortedSegmentSum"_op, {ops::cast(chosen, g.dtype()), ids, c.inputs[2]});
  c.input_gradients[0] = ops::where(chosen, gather_kept(ops::div(g, holders), ids), zero_of(g));
}

void unsorted_prod_gradient(GradientCall& c) {
  const Tensor &x = c.inputs[0], &ids = c.inputs[1], &n = c.inputs[2], &g = c.output_gradients[0];
  const Tensor is_zero = ops::equal(x, zero_of(x));
  const Tensor zeros = apply("UnsortedSegmentSum"_op, {ops::cast(is_zero, DType::kInt32), ids, n});
  const Tensor flowing = ops::where(ops::greater(zeros, ops::integer(1)), zero_of(g), g);
  const Tensor nonzero = ops::where(is_zero, ops::number(1, x.dtype()), x);
  const Tensor of_nonzero = gather_kept(apply("UnsortedSegmentProd"_op, {nonzero, ids, n}), ids);
  const Tensor whole = gather_kept(c.outputs[0], ids);
  c.input_gradients[0] =
      ops::mul(gather_kept(flowing, ids), ops::where(is_zero, of_nonzero, ops::div(whole, nonzero)));
}

void bincount_shape(Inference& i) {
  const Shape& in = i.shape(0);
  infer::check_rank(i, 1, 0);
  if (in.has_rank() && in.rank() > 2)
    invalid("Shape must be at most rank 2 but is rank ", in.rank(), " [Op:DenseBincount]");
  const auto size = infer::constant_ints(i, 1);
  if (size && size->at(0) < 0) invalid("size (", size->at(0), ") must be non-negative [Op:DenseBincount]");
  const Shape& weights = i.shape(2);
  if (weights.fully_known() && in.fully_known() && weights.elements() > 0 && weights != in)
    invalid(
        "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as all "
        "weights "
        "equal to 1. Received ",
        weights.brackets(), " for ", in.brackets(), " [Op:DenseBincount]");
  if (!in.has_rank()) return infer::unknown(i);
  Shape out;
  if (in.rank() == 2) out.append(in[0]);
  out.append(size ? size->at(0) : kUnknownDim);
  i.output_shapes[0] = out;
}

void histogram_shape(Inference& i) {
  infer::check_rank(i, 1, 1);
  if (i.shape(1).has_rank() && i.shape(1)[0] >= 0 && i.shape(1)[0] != 2)
    invalid("value_range should be a vector of 2 elements, its shape is ", i.shape(1).to_string(),
            " [Op:HistogramFixedWidth]");
  infer::check_rank(i, 2, 0);
  const auto bins = infer::constant_ints(i, 2);
  if (bins && bins->at(0) <= 0)
    invalid("nbins must be positive, not ", bins->at(0), " [Op:HistogramFixedWidth]");
  i.output_shapes[0] = Shape{bins ? bins->at(0) : kUnknownDim};
}

}  // namespace

FL_ROWS(segment) {
  constexpr RowsOf reduction_row{OpFamily::kReduction};
  constexpr const char* kSorted = "data: T, segment_ids: Tindices -> output: T";
  constexpr const char* kUnsorted = "data: T, segment_ids: Tindices, num_segments: Tnumsegments -> output: T";
  constexpr const char* kReal = "T: real; Tindices: index";
  constexpr const char* kNumbers = "T: numbers; Tindices: index";
  constexpr const char* kUnsortedReal = "T: real; Tindices: index; Tnumsegments: index = int32";
  constexpr const char* kUnsortedNumbers = "T: numbers; Tindices: index; Tnumsegments: index = int32";
  const RowDef::Properties host{.host_inputs = 4};
  return {
      reduction_row("SegmentSum", kSorted, kNumbers, segment_shape, segment_sum_gradient,
                    "the sums of rows that follow each other with one id"),
      reduction_row("SegmentMean", kSorted, kNumbers, segment_shape, segment_mean_gradient,
                    "the means of rows that follow each other with one id"),
      reduction_row("SegmentMax", kSorted, kReal, segment_shape, segment_extreme_gradient,
                    "the largest of rows that follow each other with one id"),
      reduction_row("SegmentMin", kSorted, kReal, segment_shape, segment_extreme_gradient,
                    "the smallest of rows that follow each other with one id"),
      reduction_row("SegmentProd", kSorted, kNumbers, segment_shape, segment_prod_gradient,
                    "the products of rows that follow each other with one id"),
      reduction_row("UnsortedSegmentSum", kUnsorted, "T: numbers; Tindices: index|int16; Tnumsegments: index = int32",
                    unsorted_shape, unsorted_sum_gradient, "the sums of rows by their ids", host),
      reduction_row("UnsortedSegmentMax", kUnsorted, kUnsortedReal, unsorted_shape, unsorted_extreme_gradient,
                    "the largest of rows by their ids", host),
      reduction_row("UnsortedSegmentMin", kUnsorted, kUnsortedReal, unsorted_shape, unsorted_extreme_gradient,
                    "the smallest of rows by their ids", host),
      reduction_row("UnsortedSegmentProd", kUnsorted, kUnsortedNumbers, unsorted_shape, unsorted_prod_gradient,
                    "the products of rows by their ids", host),
      reduction_row("DenseBincount", "input: Tidx, size: Tidx, weights: T -> output: T",
                    "Tidx: index; T: index|float32|float64; binary_output: bool = false", bincount_shape, nullptr,
                    "how often each number comes, or the sum of its weights", {.dispatch = 2, .host_inputs = 2}),
      reduction_row("HistogramFixedWidth", "values: T, value_range: T, nbins: int32 -> out: dtype",
                    "T: index|float32|float64; dtype: index = int32", histogram_shape, nullptr,
                    "how many values fall into each of equally wide bins", {.host_inputs = 6, .zero_gradient = true}),
  };
}

}  // namespace footlight
