// Public functions of segment reductions and counting.
#include "engine/ops/composite/composites.h"
#include "engine/ops/composite/define.h"
#include "engine/ops/composite/scalar.h"
#include "engine/tensor/size.h"

#include <limits>

namespace footlight::composite {

namespace {

Tensor unsorted_sum(const Tensor& data, const Tensor& ids, const Tensor& count) {
  return apply("UnsortedSegmentSum"_op, {data, ids, count});
}

// The number of rows of each segment, at least 1, in a shape that broadcasts with the sums.
Tensor segment_sizes(const Tensor& data, const Tensor& ids, const Tensor& count) {
  if (!in_set(data.dtype(), kNumberTypes))
    fail(ErrorKind::kType, "only numbers have a segment mean, got data of dtype ", name_of(data.dtype()));
  const Tensor ones = ops::fill(ops::shape(ids), ops::number(1, data.dtype()));
  const Tensor sizes = unsorted_sum(ones, ids, count);
  Tensor more;
  if (data.shape().has_rank() && ids.shape().has_rank()) {
    const int extra = data.shape().rank() - ids.shape().rank();
    more = ops::ints(std::vector<int64_t>(static_cast<size_t>(std::max(extra, 0)), 1));
  } else {
    more = ops::fill(ops::expand_dims(ops::sub(ops::rank(data), ops::rank(ids)), 0), ops::integer(1));
  }
  const Tensor shape[] = {ops::ints({-1}), more};
  // Without segments, -1 cannot be inferred.
  const Tensor known = known_value(count);
  const Tensor front[] = {known ? ops::ints({one_integer(known, "num_segments")}) : ops::ints({-1}), more};
  return ops::maximum(ops::reshape(sizes, ops::concat(known ? front : shape, 0)), ops::number(1, data.dtype()));
}

Arg unsorted_mean(const Tensor& data, const Tensor& segment_ids, const Tensor& num_segments, std::string_view name) {
  const Scope scope(name_or(name, "UnsortedSegmentMean"));
  const Tensor sizes = segment_sizes(data, segment_ids, num_segments);
  return {truediv(unsorted_sum(data, segment_ids, num_segments), sizes, {})};
}

Arg unsorted_sqrt_n(const Tensor& data, const Tensor& segment_ids, const Tensor& num_segments, std::string_view name) {
  const Scope scope(name_or(name, "UnsortedSegmentSqrtN"));
  const Tensor sizes = segment_sizes(data, segment_ids, num_segments);
  const Tensor sum = unsorted_sum(data, segment_ids, num_segments);
  return {truediv(sum, ops::sqrt(sizes), {})};
}

// One more than the largest element, 0 for an empty tensor; a constant when the values are known.
Tensor values_end(const Tensor& x) {
  if (const Tensor known = known_value(x)) {
    const int64_t most = with_plain_type(known.dtype(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_integral_v<T>) {
        const int64_t n = known.elements();
        if (n > 0) {
          T largest = *known.data<T>();
          for (int64_t i = 1; i < n; ++i) largest = std::max(largest, known.data<T>()[i]);
          return static_cast<int64_t>(largest);
        }
      }
      return int64_t{-1};
    });
    // The number of bins is saturated: so many would not fit in memory anyway.
    const bool past = most < std::numeric_limits<int64_t>::max();
    return ops::integer(std::max<int64_t>(0, past ? most + 1 : most), x.dtype());
  }
  const Tensor any = ops::cast(ops::greater(ops::size(x), ops::integer(0)), x.dtype());
  return ops::mul(any, ops::add(ops::max_of(x), ops::number(1, x.dtype())));
}

Arg bincount(const Tensor& arr, const Tensor& weights_given, const Arg& minlength, const Arg& maxlength, DType dtype,
             std::optional<int64_t> axis, bool binary, std::string_view name) {
  Tensor x = arr;
  const bool weighted = static_cast<bool>(weights_given);
  if (weighted && binary)
    fail(ErrorKind::kValue,
         "Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one.");
  if (axis && *axis != 0 && *axis != -1)
    fail(ErrorKind::kValue, "Unsupported value for argument axis=", *axis,
         ". Only 0 and -1 are supported.");
  const Scope scope(name_or(name, "bincount"));
  if (is_floating(x.dtype())) x = ops::cast(x, DType::kInt32);
  const DType type = x.dtype();
  const auto bounded = [&](const Tensor& size, const Arg& bound, bool least) {
    if (bound.none()) return size;
    const Tensor limit = ops::cast(tensor(bound), type);
    if (limit.shape().has_rank() && limit.shape().rank() != 0)
      invalid("size must have rank 0, the shape of ", least ? "minlength" : "maxlength", " is ",
              limit.shape().to_string(), " [Op:DenseBincount]");
    const Tensor a = known_value(size), b = known_value(limit);
    if (a && b) {
      const int64_t x0 = one_integer(a, "the size"), y0 = one_integer(b, least ? "minlength" : "maxlength");
      return ops::integer(least ? std::max(x0, y0) : std::min(x0, y0), type);
    }
    return least ? ops::maximum(limit, size) : ops::minimum(limit, size);
  };
  const Tensor size = bounded(bounded(values_end(x), minlength, true), maxlength, false);
  if (const Tensor known = known_value(size); known && known.dtype() != type)
    invalid("size (", one_integer(known, "the size"), ") does not fit ", name_of(type),
            ", the dtype of `arr` [Op:DenseBincount]");
  // Rows are counted separately only along the last dimension.
  const bool flat = !axis || *axis == 0;
  Tensor weights;
  if (weighted) {
    weights = weights_given;
    if (weights.shape().fully_known() && weights.shape().elements() == 0)
      weights = ops::reshape(weights, ops::ints({0}));
    else if (!flat && !compatible(weights.shape(), x.shape()))
      invalid("`weights` must have the shape of `arr`, ", x.shape().to_string(), ", their shape is ",
              weights.shape().to_string(), " [Op:DenseBincount]");
    if (flat) weights = ops::reshape(weights, ops::ints({-1}));
  } else {
    weights = Tensor::empty(dtype, Shape{0}).as_constant();
  }
  if (flat) x = ops::reshape(x, ops::ints({-1}));
  return {apply("DenseBincount"_op, {x, size, weights}, {{"binary_output"_attr, binary}})};
}

// Removes a trailing dimension of 1 from x if x has one dimension more than y.
void drop_last_one(Tensor& x, const Tensor& y) {
  if (!x.shape().has_rank() || !y.shape().has_rank()) return;
  if (x.shape().rank() == y.shape().rank() + 1 &&
      compatible(Shape{x.shape()[x.shape().rank() - 1]}, Shape{1}))
    x = ops::squeeze(x, {-1});
}

Arg confusion_matrix(const Tensor& labels_given, const Tensor& predictions_given, const Tensor& num_classes,
                     const Tensor& weights_given, DType type, std::string_view name) {
  const Scope scope(name_or(name, "confusion_matrix"));
  Tensor labels = labels_given, predictions = predictions_given;
  drop_last_one(labels, predictions);
  drop_last_one(predictions, labels);
  if (!compatible(labels.shape(), predictions.shape()))
    invalid("labels and predictions must have the same shape, got ", labels.shape().to_string(), " and ",
            predictions.shape().to_string(), " [Op:ConfusionMatrix]");
  labels = ops::cast(labels, DType::kInt64);
  predictions = ops::cast(predictions, DType::kInt64);
  for (const auto& [what, t] : {std::pair("labels", labels), std::pair("predictions", predictions)}) {
    const Tensor known = known_value(t);
    for (int64_t v : known ? infer::ints_of(known) : std::vector<int64_t>())
      if (v < 0) invalid("`", what, "` contains negative values: ", v, " [Op:ConfusionMatrix]");
  }
  const auto empty = [](const Shape& s) { return s.fully_known() && s.elements() == 0; };
  if (!num_classes && (empty(labels.shape()) || empty(predictions.shape())))
    invalid("confusion_matrix: labels and predictions are empty, so num_classes has to be given [Op:ConfusionMatrix]");
  Tensor classes;
  const Tensor known_labels = known_value(labels), known_predictions = known_value(predictions);
  if (!num_classes && known_labels && known_predictions) {
    int64_t end = 0;
    for (const Tensor* t : {&known_labels, &known_predictions})
      for (int64_t v : infer::ints_of(*t)) end = std::max(end, add_sizes(v, 1));
    classes = ops::integer(end, DType::kInt64);
  } else if (!num_classes) {
    const Tensor last = ops::reshape(ops::maximum(ops::max_of(predictions), ops::max_of(labels)), ops::ints({}));
    classes = ops::add(last, ops::integer(1, DType::kInt64));
  } else {
    classes = ops::cast(num_classes, DType::kInt64);
    if (const Tensor n = known_value(classes))
      for (const auto& [what, t] : {std::pair("labels", labels), std::pair("predictions", predictions)}) {
        const Tensor known = known_value(t);
        for (int64_t v : known ? infer::ints_of(known) : std::vector<int64_t>())
          if (v >= one_integer(n, "num_classes"))
            invalid("`", what, "` out of bound: ", v, " for ", one_integer(n, "num_classes"),
                    " classes [Op:ConfusionMatrix]");
      }
  }
  Tensor weights;
  if (!weights_given) {
    weights = ops::fill(ops::shape(predictions), ops::number(1, type));
  } else {
    weights = ops::cast(weights_given, type);
    if (!compatible(weights.shape(), predictions.shape()))
      fail(ErrorKind::kValue, "Shapes ", weights.shape().to_string(), " of the weights and ",
           predictions.shape().to_string(), " of the predictions are incompatible");
  }
  const Tensor known = known_value(classes);
  const Tensor shape =
      known ? ops::ints(std::vector<int64_t>(2, one_integer(known, "num_classes")), DType::kInt64)
            : ops::pack({classes, classes}, 0);
  return {apply("ScatterNd"_op, {ops::pack({labels, predictions}, 1), weights, shape})};
}

Arg histogram(const Tensor& values, const Tensor& value_range, const Tensor& nbins, DType dtype,
              std::string_view name) {
  return {apply("HistogramFixedWidth"_op, {values, value_range, nbins}, {{"dtype"_attr, dtype}},
                name_or(name, "histogram_fixed_width"))};
}

// floor(bins * (value - low) / (high - low)), clamped to the bins.
Arg histogram_bins(const Tensor& values, const Tensor& range, const Tensor& count, const Arg&, std::string_view name) {
  const Scope scope(name_or(name, "histogram_fixed_width_bins"));
  if (count.dtype() != DType::kInt32)
    fail(ErrorKind::kValue, "nbins: Tensor conversion requested dtype int32 for Tensor with dtype ",
         name_of(count.dtype()));
  if (values.dtype() != range.dtype())
    invalid("values and value_range have different dtypes: ", name_of(values.dtype()), " and ",
            name_of(range.dtype()), " [Op:HistogramFixedWidthBins]");
  if (const Tensor known = known_value(count); known && one_integer(known, "nbins") <= 0)
    invalid("nbins must be positive, not ", one_integer(known, "nbins"), " [Op:HistogramFixedWidthBins]");
  // If the shape is known only at run time, the reshape refuses more than one number.
  const bool scalar = count.shape().has_rank() && count.shape().rank() == 0;
  const Tensor bins = ops::cast(scalar ? count : ops::reshape(count, ops::ints({})), values.dtype());
  const auto end = [&](int64_t k) { return ops::gather(range, ops::integer(k)); };
  const Tensor scaled = truediv(ops::sub(values, end(0)), ops::sub(end(1), end(0)), {});
  const Tensor at = apply("Floor"_op, {ops::mul(bins, scaled)});
  const Tensor last = ops::sub(bins, ops::number(1, bins.dtype()));
  return {ops::cast(ops::maximum(ops::minimum(at, last), ops::number(0, bins.dtype())), DType::kInt32)};
}

}  // namespace

FL_PUBLIC(segment) {
  constexpr const char* kSorted = "data: tensor, segment_ids: tensor, name: str? = None";
  constexpr const char* kUnsorted =
      "data: tensor, segment_ids: tensor, num_segments: tensor of int32, name: str? = None";
  return {
      {"math.segment_sum", kSorted, one_op<"SegmentSum">,
       "the sums of rows that follow each other with one id"},
      {"math.segment_mean", kSorted, one_op<"SegmentMean">,
       "the means of rows that follow each other with one id"},
      {"math.segment_max", kSorted, one_op<"SegmentMax">,
       "the largest of rows that follow each other with one id"},
      {"math.segment_min", kSorted, one_op<"SegmentMin">,
       "the smallest of rows that follow each other with one id"},
      {"math.segment_prod", kSorted, one_op<"SegmentProd">,
       "the products of rows that follow each other with one id"},
      {"math.unsorted_segment_sum", kUnsorted, one_op<"UnsortedSegmentSum">, "the sums of rows by their ids"},
      {"math.unsorted_segment_max", kUnsorted, one_op<"UnsortedSegmentMax">,
       "the largest of rows by their ids"},
      {"math.unsorted_segment_min", kUnsorted, one_op<"UnsortedSegmentMin">,
       "the smallest of rows by their ids"},
      {"math.unsorted_segment_prod", kUnsorted, one_op<"UnsortedSegmentProd">,
       "the products of rows by their ids"},
      {"math.unsorted_segment_mean", kUnsorted, bind<unsorted_mean>, "the means of rows by their ids"},
      {"math.unsorted_segment_sqrt_n", kUnsorted, bind<unsorted_sqrt_n>,
       "the sums of rows by their ids, by the root of how many there are"},
      {"math.bincount",
       "arr: tensor, weights: tensor? = None, minlength: tensor? fits int32 = None, "
       "maxlength: tensor? fits int32 = None, dtype: dtype = int32, name: str? = None, axis: int? = None, "
       "binary_output: bool = False",
       bind<bincount>, "how often each number comes"},
      {"math.confusion_matrix",
       "labels: tensor, predictions: tensor, num_classes: tensor? = None, weights: tensor? = None, "
       "dtype: dtype = int32, name: str? = None",
       bind<confusion_matrix>, "how often each class was taken for each other"},
      {"histogram_fixed_width",
       "values: tensor, value_range: tensor like values, nbins: tensor fits int32 = 100, dtype: dtype = "
       "int32, "
       "name: str? = None",
       bind<histogram>, "how many values fall into each of equally wide bins"},
      {"histogram_fixed_width_bins",
       "values: tensor, value_range: tensor, nbins: tensor fits int32 = 100, dtype: dtype = int32, name: "
       "str? = None",
       bind<histogram_bins>, "the bin of each value, among bins of equal width"},
  };
}

}  // namespace footlight::composite
