// Rows that reduce segments of chosen rows. TensorFlow's graphs look up embeddings with them.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"

namespace footlight {
namespace {

enum class Divided { kNot, kByCount, kByRoot };

void check_ids(Inference& i) {
  infer::check_rank(i, 1, 1);
  infer::check_rank(i, 2, 1);
  if (i.shape(0).has_rank() && i.shape(0).rank() == 0)
    invalid("data must be at least rank 1, got a scalar [Op:", i.row.name, "]");
  if (!compatible(i.shape(1), i.shape(2)))
    invalid("segment_ids and indices should have same size: ", i.shape(2).brackets(), " and ",
            i.shape(1).brackets(), " [Op:", i.row.name, "]");
}

// If there are four inputs, the last is the number of rows.
void segment_shape(Inference& i) {
  check_ids(i);
  Shape out = i.shape(0);
  int64_t rows = kUnknownDim;
  if (i.inputs.size() == 4) {
    infer::check_rank(i, 3, 0);
    if (const auto count = infer::constant_ints(i, 3)) rows = count->at(0);
    if (rows < 0 && rows != kUnknownDim)
      invalid("Cannot specify a negative value for num_segments [Op:", i.row.name, "]");
  }
  if (out.has_rank()) out.set(0, rows);
  i.output_shapes[0] = out;
}

// The gradient of a row is the sum of those of its segments, each divided as the segment was.
template <Divided how>
void segment_gradient(GradientCall& c) {
  const Tensor &data = c.inputs[0], &indices = c.inputs[1], &ids = c.inputs[2];
  Tensor arriving = c.output_gradients[0];
  if (how != Divided::kNot) {
    const Tensor rows =
        ops::reshape(ops::slice(ops::shape(arriving), ops::ints({0}), ops::ints({1})), ops::ints({}));
    const Tensor ones = ops::fill(ops::shape(ids), ops::number(1, arriving.dtype()));
    Tensor counts = ops::maximum(apply("UnsortedSegmentSum"_op, {ones, ids, rows}), ops::number(1, arriving.dtype()));
    if (how == Divided::kByRoot) counts = ops::sqrt(counts);
    const Tensor sizes[] = {
        ops::reshape(rows, ops::ints({1})),
        ops::fill(ops::expand_dims(ops::sub(ops::rank(arriving), ops::integer(1)), 0), ops::integer(1))};
    arriving = ops::div(arriving, ops::reshape(counts, ops::concat(sizes, 0)));
  }
  const Tensor rows =
      ops::reshape(ops::slice(ops::shape(data), ops::ints({0}), ops::ints({1})), ops::ints({}));
  c.input_gradients[0] = apply("UnsortedSegmentSum"_op, {ops::gather(arriving, ids), indices, rows});
}

}  // namespace

FL_ROWS(sparse_segment) {
  constexpr const char* kSums =
      "T: real; Tidx: index = int32; Tsegmentids: index = int32; sparse_gradient: bool = false";
  constexpr const char* kMeans =
      "T: floats; Tidx: index = int32; Tsegmentids: index = int32; sparse_gradient: bool = false";
  constexpr const char* kCountedSums =
      "T: real; Tidx: index = int32; Tnumsegments: index = int32; Tsegmentids: index = int32; "
      "sparse_gradient: bool = "
      "false";
  constexpr const char* kCountedMeans =
      "T: floats; Tidx: index = int32; Tnumsegments: index = int32; Tsegmentids: index = int32; "
      "sparse_gradient: bool "
      "= false";
  constexpr const char* kGradients = "T: floats; Tidx: index = int32; Tsegmentids: index = int32";
  constexpr const char* kPlain = "data: T, indices: Tidx, segment_ids: Tsegmentids -> output: T";
  constexpr const char* kCounted =
      "data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: Tnumsegments -> output: T";
  constexpr const char* kBack =
      "grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32 -> output: T";
  constexpr OpFamily kFamily = OpFamily::kReduction;
  const RowDef::Properties host{.host_inputs = 14};
  return {
      {"SparseSegmentSum", kPlain, kSums, segment_shape, segment_gradient<Divided::kNot>, kFamily,
       "sums of chosen rows that have one segment id", host},
      {"SparseSegmentMean", kPlain, kMeans, segment_shape, segment_gradient<Divided::kByCount>, kFamily,
       "means of chosen rows that have one segment id", host},
      {"SparseSegmentSqrtN", kPlain, kMeans, segment_shape, segment_gradient<Divided::kByRoot>, kFamily,
       "sums of chosen rows that have one segment id, divided by the root of their number", host},
      {"SparseSegmentSumWithNumSegments", kCounted, kCountedSums, segment_shape,
       segment_gradient<Divided::kNot>, kFamily, "sums of chosen rows for so many segment ids", host},
      {"SparseSegmentMeanWithNumSegments", kCounted, kCountedMeans, segment_shape,
       segment_gradient<Divided::kByCount>, kFamily, "means of chosen rows for so many segment ids", host},
      {"SparseSegmentSqrtNWithNumSegments", kCounted, kCountedMeans, segment_shape,
       segment_gradient<Divided::kByRoot>, kFamily,
       "sums of chosen rows for so many segment ids, divided by the roots of their numbers", host},
      {"SparseSegmentSumGrad", kBack, kGradients, segment_shape, nullptr, kFamily,
       "the gradient of SparseSegmentSum", host},
      {"SparseSegmentMeanGrad", kBack, kGradients, segment_shape, nullptr, kFamily,
       "the gradient of SparseSegmentMean", host},
      {"SparseSegmentSqrtNGrad", kBack, kGradients, segment_shape, nullptr, kFamily,
       "the gradient of SparseSegmentSqrtN", host},
  };
}

}  // namespace footlight
