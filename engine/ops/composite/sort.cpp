// Public functions that sort and search.
#include "engine/ops/composite/define.h"
#include "engine/ops/composite/scalar.h"

#include <limits>

namespace footlight::composite {

namespace {

std::vector<Tensor> top_k_of(const Tensor& x, const Tensor& k, bool sorted, DType index_type,
                             std::string_view name) {
  return apply_all("TopKV2"_op, {x, k}, {{"sorted"_attr, sorted}, {"index_type"_attr, index_type}}, name);
}

// The permutation that swaps a dimension with the last one.
Tensor swapped_with_last(const Tensor& x, int64_t axis) {
  if (x.shape().has_rank()) {
    std::vector<int64_t> perm;
    for (int d = 0; d < x.shape().rank(); ++d) perm.push_back(d);
    std::swap(perm[static_cast<size_t>(axis)], perm.back());
    return ops::ints(perm);
  }
  const Tensor rank = ops::rank(x);
  const Tensor at = axis < 0 ? ops::add(rank, ops::integer(axis)) : ops::integer(axis);
  const Tensor last = ops::sub(rank, ops::integer(1));
  const Tensor all = ops::range(ops::integer(0), rank);
  return ops::where(ops::equal(all, at), last, ops::where(ops::equal(all, last), at, all));
}

// The values and indices along a dimension, sorted from the largest.
std::vector<Tensor> descending(const Tensor& x, int64_t axis) {
  const Shape& shape = x.shape();
  if (shape.has_rank()) {
    if (axis < -shape.rank() || axis >= shape.rank())
      invalid("axis ", axis, " is out of range for a tensor with ", shape.rank(), " dimensions");
    if (axis < 0) axis += shape.rank();
  }
  const bool is_last = shape.has_rank() ? axis + 1 == shape.rank() : axis == -1;
  const Tensor perm = is_last ? Tensor() : swapped_with_last(x, axis);
  const Tensor transposed = is_last ? x : ops::transpose(x, perm);
  const Shape& sizes = transposed.shape();
  const Tensor k = sizes.has_rank() && sizes[sizes.rank() - 1] >= 0
                       ? ops::integer(sizes[sizes.rank() - 1])
                       : ops::gather(ops::shape(x), ops::integer(axis < 0 ? 0 : axis));
  std::vector<Tensor> out;
  if (sizes.has_rank() || axis >= 0) {
    out = top_k_of(transposed, k, true, DType::kInt32, {});
  } else {
    const Tensor dims = ops::shape(x);
    const Tensor at = ops::add(ops::size(dims), ops::integer(axis));
    out = top_k_of(transposed, ops::gather(dims, at), true, DType::kInt32, {});
  }
  if (!is_last)
    for (Tensor& t : out) t = ops::transpose(t, perm);
  return out;
}

// Maps numbers so that their order is reversed, and is its own inverse: unsigned numbers are subtracted from the
// largest, signed ones are negated and shifted by one, so that the minimum does not overflow.
Tensor reverse_order(const Tensor& x) {
  if (in_set(x.dtype(), kUnsignedTypes)) {
    return with_plain_type(x.dtype(), [&](auto zero) -> Tensor {
      using T = decltype(zero);
      if constexpr (std::is_unsigned_v<T>)
        return ops::sub(Tensor::scalar(std::numeric_limits<T>::max()).as_constant(), x);
      return x;
    });
  }
  return is_integer(x.dtype()) ? ops::sub(ops::neg(x), ops::number(1, x.dtype())) : ops::neg(x);
}

bool is_ascending(const Arg& a) {
  const std::string& direction = text(a);
  if (direction != "ASCENDING" && direction != "DESCENDING")
    fail(ErrorKind::kValue, "direction is 'ASCENDING' or 'DESCENDING', not '", direction, "'");
  return direction == "ASCENDING";
}

void check_ordered(const Tensor& x, const char* function) {
  if (!in_set(x.dtype(), kRealTypes))
    invalid(function, " sorts real numbers, got values of dtype ", name_of(x.dtype()), " [Op:TopKV2]");
}

Arg sort(const Tensor& x, int64_t axis, const Arg& direction, std::string_view name) {
  const bool ascending = is_ascending(direction);
  check_ordered(x, "tf.sort");
  const Scope scope(name_or(name, "sort"));
  if (!ascending) return {descending(x, axis)[0]};
  return {reverse_order(descending(reverse_order(x), axis)[0])};
}

Arg argsort(const Tensor& x, int64_t axis, const Arg& direction, const Arg&, std::string_view name) {
  const bool ascending = is_ascending(direction);
  check_ordered(x, "tf.argsort");
  const Scope scope(name_or(name, "argsort"));
  return {descending(ascending ? reverse_order(x) : x, axis)[1]};
}

Arg top_k(const Tensor& input, const Tensor& k, bool sorted, DType index_type, std::string_view name) {
  return {list_of(
      top_k_of(input, k, sorted, index_type, name_or(name, "TopKV2")))};
}

Arg approximate_top(const Tensor& x, int64_t k, int64_t dimension, double recall, bool largest, int64_t override_size,
                    bool aggregate, std::string_view name) {
  return {list_of(apply_all("ApproxTopK"_op.row(), {&x, 1},
                            {{"k"_attr, k},
                             {"reduction_dimension"_attr, dimension},
                             {"recall_target"_attr, static_cast<float>(recall)},
                             {"is_max_k"_attr, largest},
                             {"reduction_input_size_override"_attr, override_size},
                             {"aggregate_to_topk"_attr, aggregate}},
                            name_or(name, "ApproxTopK")))};
}
template <bool kLargest>
Arg approximate(const Tensor& operand, int64_t k, int64_t dimension, double recall, int64_t override_size,
                bool aggregate, std::string_view name) {
  return approximate_top(operand, k, dimension, recall, kLargest, override_size, aggregate, name);
}

Arg in_top_k(const Tensor& targets, const Tensor& predictions, const Tensor& k, std::string_view name) {
  const Scope scope(name_or(name, "in_top_k"));
  return {apply("InTopKV2"_op, {predictions, targets, k})};
}

Arg unique(const Tensor& x, DType out_idx, std::string_view name) {
  return {list_of(apply_all("Unique"_op.row(), {&x, 1}, {{"out_idx"_attr, out_idx}}, name))};
}

Arg unique_with_counts(const Tensor& x, DType out_idx, std::string_view name) {
  return {list_of(apply_all("UniqueWithCounts"_op.row(), {&x, 1}, {{"out_idx"_attr, out_idx}}, name))};
}

// Reshapes to [product of all leading dimensions, the last one].
Tensor as_rows(const Tensor& x) {
  const Shape& shape = x.shape();
  if (shape.has_rank() && shape.rank() == 0)
    invalid("tf.searchsorted requires at least vectors, got a scalar [Op:LowerBound]");
  if (shape.fully_known()) {
    int64_t rows = 1;
    for (int d = 0; d + 1 < shape.rank(); ++d) rows *= shape[d];
    return ops::reshape(x, ops::ints({rows, shape[shape.rank() - 1]}));
  }
  const Tensor last = apply("StridedSlice"_op, {ops::shape(x), ops::ints({-1}), ops::ints({0}), ops::ints({1})},
                            {{"end_mask"_attr, int64_t{1}}});
  const Tensor parts[] = {ops::ints({-1}), last};
  return ops::reshape(x, ops::concat(parts, 0));
}

Arg searchsorted(const Tensor& sorted, const Tensor& values, const std::string& side, DType out_type,
                 std::string_view name) {
  if (side != "left" && side != "right")
    fail(ErrorKind::kValue, "side is 'left' or 'right', not '", side, "'");
  const Tensor found = apply(side == "left" ? "LowerBound"_op : "UpperBound"_op, {as_rows(sorted), as_rows(values)},
                             {{"out_type"_attr, out_type}}, name);
  return {ops::reshape(found, ops::shape(values))};
}

Arg fingerprint(const Tensor& data, const Arg& method_given, std::string_view name) {
  const Tensor method = value_tensor(method_given, "method of tf.fingerprint", DType::kString);
  return {apply("Fingerprint"_op, {data, method}, {}, name)};
}

// The components of two sparse tensors; the language layer unpacks them.
Arg edit_distance(const Tensor& hypothesis_indices, const Tensor& hypothesis_values, const Tensor& hypothesis_shape,
                  const Tensor& truth_indices, const Tensor& truth_values, const Tensor& truth_shape, bool normalize,
                  std::string_view name) {
  return {apply("EditDistance"_op,
                {hypothesis_indices, hypothesis_values, hypothesis_shape, truth_indices, truth_values, truth_shape},
                {{"normalize"_attr, normalize}}, name_or(name, "edit_distance"))};
}

}  // namespace

FL_PUBLIC(sort) {
  return {
      {"sort", "values: tensor, axis: int = -1, direction: str = 'ASCENDING', name: str? = None", bind<sort>,
       "the values along a dimension in order"},
      {"argsort",
       "values: tensor, axis: int = -1, direction: str = 'ASCENDING', stable: bool = False, name: str? = "
       "None",
       bind<argsort>, "the indices that sort the values along a dimension"},
      {"nn.top_k math.top_k",
       "input: tensor, k: tensor of int32 = 1, sorted: bool = True, index_type: dtype = int32, name: str? = "
       "None "
       "-> TopKV2(values, indices)",
       bind<top_k>, "the k largest elements of each row, and their indices"},
      {"math.approx_max_k nn.approx_max_k",
       "operand: tensor, k: int, reduction_dimension: int = -1, recall_target: float = 0.95, "
       "reduction_input_size_override: int = -1, aggregate_to_topk: bool = True, name: str? = None "
       "-> ApproxTopK(values, indices)",
       bind<approximate<true>>, "the k largest elements along a dimension, and their indices"},
      {"math.approx_min_k nn.approx_min_k",
       "operand: tensor, k: int, reduction_dimension: int = -1, recall_target: float = 0.95, "
       "reduction_input_size_override: int = -1, aggregate_to_topk: bool = True, name: str? = None "
       "-> ApproxTopK(values, indices)",
       bind<approximate<false>>, "the k smallest elements along a dimension, and their indices"},
      {"approx_top_k",
       "input: tensor, k: int, reduction_dimension: int = -1, recall_target: float = 0.95, is_max_k: bool = True, "
       "reduction_input_size_override: int = -1, aggregate_to_topk: bool = True, name: str? = None "
       "-> ApproxTopK(values, indices)",
       bind<approximate_top>, "the k largest or smallest elements along a dimension, and their indices"},
      {"nn.in_top_k math.in_top_k",
       "targets: tensor of int32, predictions: tensor fits float32, k: tensor like targets, name: str? = "
       "None",
       bind<in_top_k>, "whether the target is among the k largest of its row"},
      {"unique", "x: tensor, out_idx: dtype = int32, name: str? = None -> Unique(y, idx)", bind<unique>,
       "the distinct values, and the index of each element among them"},
      {"unique_with_counts",
       "x: tensor, out_idx: dtype = int32, name: str? = None -> UniqueWithCounts(y, idx, count)",
       bind<unique_with_counts>, "the distinct values, the index of each element among them, and their counts"},
      {"searchsorted",
       "sorted_sequence: tensor, values: tensor, side: str = 'left', out_type: dtype = int32, name: str? = "
       "None",
       bind<searchsorted>, "the positions at which values would be inserted into a sorted row"},
      {"math.invert_permutation", "x: tensor of int32, name: str? = None", one_op<"InvertPermutation">,
       "the permutation that undoes x"},
      {"fingerprint", "data: tensor, method: any = 'farmhash64', name: str? = None", bind<fingerprint>,
       "an 8-byte fingerprint of each row"},
      {"sparse._edit_distance",
       "hypothesis_indices: tensor, hypothesis_values: tensor, hypothesis_shape: tensor, truth_indices: "
       "tensor, "
       "truth_values: tensor, truth_shape: tensor, normalize: bool, name: str? = None",
       bind<edit_distance>, "how many changes make each sequence the other one"},
  };
}

}  // namespace footlight::composite
