// The rules by which ops are applied to a batch. Most ops accept a further dimension in front; their rules only add 1
// to axes. Others fold the batch into a dimension that they have.
#include "engine/ops/batching_rules.h"

#include "engine/ops/functions.h"
#include "engine/ops/infer.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

namespace footlight::ops {

BatchResult all_batched(std::vector<Tensor> outputs) {
  std::vector<Batched> results;
  for (Tensor& output : outputs) results.push_back({std::move(output), true});
  return results;
}
Tensor prefixed(int64_t value, const Tensor& vector) {
  return concat(std::array{ints({value}, vector.dtype()), vector}, 0);
}
Tensor rest_of(const Tensor& vector) {
  return apply("StridedSlice"_op, {vector, ints({1}), ints({0}), ints({1})}, {{"end_mask"_attr, int64_t{1}}});
}

namespace {

using Call = BatchCall;
using Result = BatchResult;
using Rule = BatchRule;

Result applied(const Call& c, std::span<const Tensor> inputs, const Attrs& attrs) {
  return all_batched(apply_all(c.row, inputs, attrs));
}
Tensor one() { return ints({1}); }
Tensor size_vector(const Call& c, DType dtype = DType::kInt32) { return cast(reshape(c.size, one()), dtype); }

// Inserts dimensions of size 1 after the batch's, so that elements have this rank.
Tensor with_rank(const Call& c, size_t i, int rank) {
  const Tensor& t = c[i];
  if (!c.batched(i) || c.rank(i) == rank) return t;
  const std::vector<int64_t> between(static_cast<size_t>(rank - c.rank(i)), 1);
  if (t.shape().fully_known()) {
    std::vector<int64_t> dims{t.shape()[0]};
    dims.insert(dims.end(), between.begin(), between.end());
    for (const int64_t dim : t.shape().dims().subspan(1)) dims.push_back(dim);
    return reshape(t, ints(dims));
  }
  return reshape(t, concat(std::array{size_vector(c), ints(between), rest_of(shape(t))}, 0));
}

Result elementwise(const Call& c) {
  int rank = 0;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    if (c.rank(i) < 0) return {};
    rank = std::max(rank, c.rank(i));
  }
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < c.inputs.size(); ++i) inputs.push_back(with_rank(c, i, rank));
  return applied(c, inputs, c.attrs);
}

// For ops that accept any number of leading dimensions in all inputs, but do not broadcast them.
Result stack_all(const Call& c) {
  std::vector<Tensor> inputs;
  for (const Batched& input : c.inputs) inputs.push_back(for_each_element(input, c.size));
  return applied(c, inputs, c.attrs);
}
Result unary(const Call& c) { return c.inputs.size() == 1 ? applied(c, std::array{c[0]}, c.attrs) : Result(); }

// The axes of an element as axes of the batch: one more, unless they are negative and count from the end. Empty if they
// are not known.
std::optional<Tensor> shifted_axes(const Call& c, size_t axes) {
  if (c.batched(axes)) return {};
  const Tensor known = known_value(c[axes]);
  if (!known) return {};
  std::vector<int64_t> values = infer::ints_of(known);
  for (int64_t& value : values)
    if (value >= 0) ++value;
  const Tensor vector = ints(values, known.dtype());
  return known.shape().rank() == 0 ? integer(values[0], known.dtype()) : vector;
}
Result with_axis_input(const Call& c) {
  if (!c.batched(0) || c.inputs.size() != 2) return {};
  const std::optional<Tensor> axis = shifted_axes(c, 1);
  return axis ? applied(c, std::array{c[0], *axis}, c.attrs) : Result();
}
Result joined(const Call& c) {
  const size_t last = c.inputs.size() - 1;
  const std::optional<Tensor> axis = shifted_axes(c, last);
  if (!axis) return {};
  std::vector<Tensor> inputs;
  for (const Batched& input : c.inputs.first(last)) inputs.push_back(for_each_element(input, c.size));
  inputs.push_back(*axis);
  return applied(c, inputs, c.attrs);
}
Attrs with_shifted_axis(const Call& c, const char* name, int64_t otherwise) {
  const AttrName key(name);
  Attrs attrs = c.attrs;
  const int64_t axis = attrs.get_or(key, otherwise);
  attrs.set(key, axis >= 0 ? axis + 1 : axis);
  return attrs;
}
Result stacked(const Call& c) {
  std::vector<Tensor> inputs;
  for (const Batched& input : c.inputs) inputs.push_back(for_each_element(input, c.size));
  return applied(c, inputs, with_shifted_axis(c, "axis", 0));
}
Result unstacked(const Call& c) { return applied(c, std::array{c[0]}, with_shifted_axis(c, "axis", 0)); }
Result squeezed(const Call& c) {
  std::vector<int64_t> dims = c.attrs.get_or("squeeze_dims"_attr, std::vector<int64_t>());
  if (dims.empty()) {
    const Shape& own = c[0].shape();
    if (!own.fully_known()) return {};
    for (int d = 1; d < own.rank(); ++d)
      if (own[d] == 1) dims.push_back(d);
    if (dims.empty()) return std::vector<Batched>{{identity(c[0]), true}};
  } else {
    for (int64_t& dim : dims)
      if (dim >= 0) ++dim;
  }
  Attrs attrs = c.attrs;
  attrs.set("squeeze_dims"_attr, dims);
  return applied(c, std::array{c[0]}, attrs);
}

Result reshaped(const Call& c) {
  if (!c.only_first()) return {};
  return applied(c, std::array{c[0], concat(std::array{size_vector(c, c[1].dtype()), c[1]}, 0)}, c.attrs);
}
Result transposed(const Call& c) {
  if (!c.only_first()) return {};
  return applied(c, std::array{c[0], prefixed(0, add(c[1], integer(1, c[1].dtype())))}, c.attrs);
}
Result tiled(const Call& c) {
  return c.only_first() ? applied(c, std::array{c[0], prefixed(1, c[1])}, c.attrs) : Result();
}
Result padded(const Call& c) {
  if (!c.only_first()) return {};
  std::vector<Tensor> inputs{c[0],
                             concat(std::array{ints({0, 0}, c[1].dtype()), reshape(c[1], ints({-1}))}, 0)};
  inputs[1] = reshape(inputs[1], ints({-1, 2}));
  for (size_t i = 2; i < c.inputs.size(); ++i) inputs.push_back(c[i]);
  return applied(c, inputs, c.attrs);
}
Result sliced(const Call& c) {
  return c.only_first() ? applied(c, std::array{c[0], prefixed(0, c[1]), prefixed(-1, c[2])}, c.attrs)
                        : Result();
}
// The masks of a strided slice that takes all of the batch's dimension.
Attrs with_shifted_masks(const Call& c) {
  Attrs attrs = c.attrs;
  for (const char* name : {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"}) {
    const AttrName key(name);
    const bool whole =
        std::string_view(name).substr(0, 2) == "be" || std::string_view(name).substr(0, 3) == "end";
    attrs.set(key, attrs.get_or(key, int64_t{0}) << 1 | int64_t{whole});
  }
  return attrs;
}
Result strided(const Call& c) {
  if (!c.only_first()) return {};
  return applied(c, std::array{c[0], prefixed(0, c[1]), prefixed(0, c[2]), prefixed(1, c[3])}, with_shifted_masks(c));
}
Result strided_gradient(const Call& c) {
  for (size_t i = 0; i < 4; ++i)
    if (c.batched(i)) return {};
  const Tensor whole = concat(std::array{size_vector(c, c[0].dtype()), c[0]}, 0);
  return applied(c, std::array{whole, prefixed(0, c[1]), prefixed(0, c[2]), prefixed(1, c[3]), c[4]},
                 with_shifted_masks(c));
}
Result broadcasted(const Call& c) {
  const Shape& wanted = c[1].shape();
  if (!c.only_first() || !wanted.has_rank() || wanted[0] < 0 || c.rank(0) < 0) return {};
  const Tensor input = with_rank(c, 0, static_cast<int>(wanted[0]));
  return applied(c, std::array{input, concat(std::array{size_vector(c, c[1].dtype()), c[1]}, 0)}, c.attrs);
}
Result filled(const Call& c) {
  const Shape& wanted = c[0].shape();
  if (c.batched(0) || !wanted.has_rank() || wanted[0] < 0) return {};
  std::vector<int64_t> dims(static_cast<size_t>(wanted[0]), 1);
  dims.insert(dims.begin(), -1);
  const Tensor whole = concat(std::array{size_vector(c, c[0].dtype()), c[0]}, 0);
  return std::vector<Batched>{{broadcast_to(reshape(c[1], ints(dims)), whole), true}};
}

Result multiplied(const Call& c) {
  const bool simple = std::string_view(c.row.name) == "MatMul";
  Attrs attrs = c.attrs;
  if (simple) {
    if (is_complex(c[0].dtype())) return {};
    attrs = {{"adj_x"_attr, c.attrs.get_or("transpose_a"_attr, false)},
             {"adj_y"_attr, c.attrs.get_or("transpose_b"_attr, false)}};
  }
  const int rank = std::max(c.rank(0), c.rank(1));
  if (c.rank(0) < 2 || c.rank(1) < 2) return {};
  return all_batched({apply("BatchMatMulV2"_op, {with_rank(c, 0, rank), with_rank(c, 1, rank)}, attrs)});
}

Result gathered(const Call& c) {
  const int64_t dims = c.attrs.get_or("batch_dims"_attr, int64_t{0});
  if (!c.batched(0) && dims == 0) {  // the rows of one tensor
    const Tensor axis = known_value(c[2]);
    if (!axis || infer::ints_of(axis)[0] != 0) return {};
    return applied(c, std::array{c[0], c[1], c[2]}, c.attrs);
  }
  const std::optional<Tensor> axis = shifted_axes(c, 2);
  if (!axis || dims < 0) return {};
  if (!c.batched(1) && dims == 0) return applied(c, std::array{c[0], c[1], *axis}, c.attrs);
  Attrs attrs = c.attrs;
  attrs.set("batch_dims"_attr, dims + 1);
  return applied(
      c, std::array{for_each_element(c.inputs[0], c.size), for_each_element(c.inputs[1], c.size), *axis},
      attrs);
}

// For ops on the last dimension.
Result along_last(const Call& c) { return c.only_first() ? applied(c, std::array{c[0], c[1]}, c.attrs) : Result(); }

Result one_hot(const Call& c) {
  if (!c.only_first()) return {};
  return applied(c, std::array{c[0], c[1], c[2], c[3]}, with_shifted_axis(c, "axis", -1));
}

// Handles ops whose result does not depend on the elements' values.
Result shape_only(const Call& c) {
  const Tensor dims = rest_of(shape(c[0]));
  return std::vector<Batched>{
      {dims.dtype() == DType::kInt32 && c.attrs.get_or(AttrName("out_type"), DType::kInt32) != DType::kInt32
           ? cast(dims, DType::kInt64)
           : dims,
       false}};
}
Result shapes_only(const Call& c) {
  std::vector<Batched> shapes;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    const Tensor dims = c.batched(i) ? rest_of(shape(c[i])) : shape(c[i]);
    shapes.push_back({cast(dims, c.attrs.get_or(AttrName("out_type"), DType::kInt32)), false});
  }
  return shapes;
}
Result rank_only(const Call& c) {
  if (c.rank(0) < 0) return {};
  return std::vector<Batched>{{integer(c.rank(0)), false}};
}

// For ops whose first dimension is a batch already: both batches become one dimension.
Result fold_into_batch(const Call& c) {
  if (!c.only_first() || c.rank(0) < 1 || c[0].shape().rank() < 2) return {};
  const Tensor own = shape(c[0]);
  const Tensor tail = rest_of(rest_of(own));
  std::vector<Tensor> inputs{reshape(c[0], concat(std::array{ints({-1}), tail}, 0))};
  for (size_t i = 1; i < c.inputs.size(); ++i) inputs.push_back(c[i]);
  std::vector<Tensor> outputs = apply_all(c.row, inputs, c.attrs);
  const Tensor front = slice(own, ints({0}), ints({2}));
  for (Tensor& output : outputs)
    output = reshape(output, concat(std::array{front, rest_of(shape(output))}, 0));
  return all_batched(std::move(outputs));
}

// fold_into_batch() for ops with several inputs that have a batch dimension. The last `parameters` inputs have none.
Result fold_all_into_batch(const Call& c, size_t parameters) {
  const size_t count = c.inputs.size() - parameters;
  std::vector<Tensor> inputs;
  Tensor front;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    if (i >= count ? c.batched(i) : c.rank(i) < 1) return {};
    if (i >= count) {
      inputs.push_back(c[i]);
      continue;
    }
    const Tensor each = for_each_element(c.inputs[i], c.size), own = shape(each);
    if (!front) front = slice(own, ints({0}), ints({2}));
    inputs.push_back(reshape(each, concat(std::array{ints({-1}), rest_of(rest_of(own))}, 0)));
  }
  std::vector<Tensor> outputs = apply_all(c.row, inputs, c.attrs);
  for (Tensor& output : outputs) output = reshape(output, concat(std::array{front, rest_of(shape(output))}, 0));
  return all_batched(std::move(outputs));
}
Result fold_rows(const Call& c) { return fold_all_into_batch(c, 0); }
Result fold_rows_but_last(const Call& c) { return fold_all_into_batch(c, 1); }

// For ops whose first input accepts any number of leading dimensions, if the other inputs are the same for all
// elements.
Result with_parameters(const Call& c) {
  if (!c.only_first()) return {};
  std::vector<Tensor> inputs;
  for (const Batched& input : c.inputs) inputs.push_back(input.tensor);
  return applied(c, inputs, c.attrs);
}
Result diagonal_set(const Call& c) {
  if (c.batched(2)) return {};
  return applied(c, std::array{for_each_element(c.inputs[0], c.size), for_each_element(c.inputs[1], c.size), c[2]},
                 c.attrs);
}
Result with_axis_as_third(const Call& c) {
  if (!c.only_first()) return {};
  const std::optional<Tensor> axis = shifted_axes(c, 2);
  return axis ? applied(c, std::array{c[0], c[1], *axis}, c.attrs) : Result();
}
Result split(const Call& c) {
  const std::optional<Tensor> axis = shifted_axes(c, 0);
  return axis ? applied(c, std::array{*axis, c[1]}, c.attrs) : Result();
}
Result biased(const Call& c) {
  const int rank = c.rank(0);
  if (rank < 2 || c.rank(1) != 1) return {};
  if (!c.batched(1)) return fold_into_batch(c);
  const Tensor value = c.batched(0) ? c[0] : expand_dims(c[0], 0);
  if (c.attrs.get_or("data_format"_attr, std::string("NHWC")) == "NHWC")
    return all_batched({add(value, with_rank(c, 1, rank))});
  Tensor bias = expand_dims(c[1], 1);  // channels are the second dimension of each element
  for (int d = 2; d < rank; ++d) bias = expand_dims(bias, -1);
  return all_batched({add(value, bias)});
}
Result summed_products(const Call& c) {
  std::string equation = c.attrs.get<std::string>("equation"_attr);
  std::erase(equation, ' ');
  char label = 'a';
  const auto taken = [&](char one) { return equation.find(one) != std::string::npos; };
  while (label <= 'z' && taken(label)) ++label;
  if (label > 'z' || equation.find("->") == std::string::npos) return {};
  std::string batched;
  std::vector<Tensor> inputs;
  size_t at = 0;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    const size_t end = i + 1 < c.inputs.size() ? equation.find(',', at) : equation.find("->", at);
    if (end == std::string::npos) return {};
    if (i > 0) batched += ',';
    if (c.batched(i)) batched += label;
    batched += equation.substr(at, end - at);
    at = end + (i + 1 < c.inputs.size() ? 1 : 2);
    inputs.push_back(c[i]);
  }
  Attrs attrs = c.attrs;
  attrs.set("equation"_attr, batched + "->" + label + equation.substr(at));
  return applied(c, inputs, attrs);
}

// The numbers 0, 1, ... of the elements, in a tensor with `rank` further dimensions of size 1.
Tensor element_numbers(const Call& c, DType dtype, int rank) {
  std::vector<int64_t> dims(static_cast<size_t>(rank), 1);
  dims.insert(dims.begin(), -1);
  return reshape(cast(range(integer(0), c.size), dtype), ints(dims));
}
// For segment ops: gives each element segments of its own, after those of the elements before it.
Result segments(const Call& c) {
  if (c.batched(2) || c.rank(1) < 0) return {};
  const Tensor data = for_each_element(c.inputs[0], c.size), ids = for_each_element(c.inputs[1], c.size);
  const Tensor count = cast(c[2], ids.dtype());
  const Tensor moved = add(ids, mul(element_numbers(c, ids.dtype(), c.rank(1)), count));
  const Tensor own = where(less(ids, number(0, ids.dtype())), ids, moved);  // negative ones are in no segment
  const Tensor size = cast(c.size, c[2].dtype());
  const Tensor rows = footlight::apply(c.row, std::array{data, own, mul(size, c[2])}, c.attrs);
  const Tensor front = pack(std::array{size, c[2]}, 0);
  return all_batched({reshape(rows, concat(std::array{cast(front, DType::kInt32), rest_of(shape(rows))}, 0))});
}
// Prepends to each index vector the number of its element.
Tensor with_element_number(const Call& c, size_t indices) {
  const Tensor own = for_each_element(c.inputs[indices], c.size);
  const Tensor last = slice(own, ints(std::vector<int64_t>(static_cast<size_t>(c.rank(indices) + 1), 0)),
                            concat(std::array{slice(shape(own), ints({0}), ints({c.rank(indices)})), one()}, 0));
  const Tensor number = add(element_numbers(c, own.dtype(), c.rank(indices)), zeros_like(last));
  return concat(std::array{number, own}, c.rank(indices));
}
// Whether index vectors are known not to be empty, as with_element_number() needs.
bool has_index(const Call& c, size_t indices) {
  return c.rank(indices) >= 1 && c[indices].shape()[c[indices].shape().rank() - 1] > 0;
}
Result gathered_nd(const Call& c) {
  if (!c.batched(0)) return applied(c, std::array{c[0], c[1]}, c.attrs);
  return has_index(c, 1) ? applied(c, std::array{c[0], with_element_number(c, 1)}, c.attrs) : Result();
}
Result scattered_nd(const Call& c) {
  if (c.batched(2) || !has_index(c, 0)) return {};
  const Tensor whole = concat(std::array{size_vector(c, c[2].dtype()), c[2]}, 0);
  return applied(c, std::array{with_element_number(c, 0), for_each_element(c.inputs[1], c.size), whole}, c.attrs);
}
Result scattered_into(const Call& c) {
  if (!has_index(c, 1)) return {};
  return applied(c, std::array{for_each_element(c.inputs[0], c.size), with_element_number(c, 1),
                               for_each_element(c.inputs[2], c.size)}, c.attrs);
}

const std::unordered_map<std::string_view, Rule>& rules() {
  static const auto* all = [] {
    const std::pair<Rule, std::vector<std::string_view>> ops_by_rule[] = {
        {stack_all, {"AddN", "Select", "MatrixSolve", "MatrixTriangularSolve", "Cross"}},
        {with_axis_input,
         {"ArgMax", "ArgMin", "All", "Any", "Sum", "Mean", "Max", "Min", "Prod", "EuclideanNorm", "Cumsum", "Cumprod",
          "ReverseV2", "ExpandDims"}},
        {squeezed, {"Squeeze"}},
        {stacked, {"Pack"}},
        {unstacked, {"Unpack"}},
        {joined, {"ConcatV2"}},
        {reshaped, {"Reshape"}},
        {transposed, {"Transpose"}},
        {tiled, {"Tile"}},
        {padded, {"Pad", "PadV2", "MirrorPad"}},
        {sliced, {"Slice"}},
        {strided, {"StridedSlice"}},
        {strided_gradient, {"StridedSliceGrad"}},
        {broadcasted, {"BroadcastTo"}},
        {filled, {"Fill"}},
        {multiplied, {"MatMul", "BatchMatMulV2"}},
        {gathered, {"GatherV2"}},
        {one_hot, {"OneHot"}},
        {shape_only, {"Shape"}},
        {shapes_only, {"ShapeN"}},
        {rank_only, {"Rank"}},
        {elementwise, {"SelectV2", "ClipByValue", "Equal", "NotEqual", "Complex"}},
        {unary,
         {"Cast", "Softmax", "LogSoftmax", "Cholesky", "MatrixInverse", "MatrixDeterminant", "LogMatrixDeterminant",
          "Qr", "Svd", "SelfAdjointEigV2", "MatrixDiag", "MatrixDiagPart", "AsString", "StopGradient",
          "PreventGradient", "ComplexAbs", "Angle", "MatrixExponential", "MatrixLogarithm", "MatrixSquareRoot",
          "RGBToHSV", "HSVToRGB", "FFT", "IFFT", "FFT2D", "IFFT2D", "FFT3D", "IFFT3D"}},
        {along_last, {"TopKV2"}},
        {fold_into_batch,
         {"Conv2D", "MaxPool", "AvgPool", "DepthwiseConv2dNative", "Conv3D", "MaxPool3D", "AvgPool3D", "DepthToSpace",
          "SpaceToDepth"}},
        {biased, {"BiasAdd"}},
        {fold_rows,
         {"SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits", "LowerBound", "UpperBound"}},
        {fold_rows_but_last, {"InTopKV2"}},
        {with_parameters,
         {"MatrixDiagV3", "MatrixDiagPartV3", "MatrixBandPart", "AdjustContrastv2", "AdjustHue", "AdjustSaturation",
          "RFFT", "IRFFT", "RFFT2D", "IRFFT2D", "RFFT3D", "IRFFT3D"}},
        {diagonal_set, {"MatrixSetDiagV3"}},
        {with_axis_as_third, {"Roll", "SplitV"}},
        {split, {"Split"}},
        {summed_products, {"Einsum"}},
        {segments, {"UnsortedSegmentSum", "UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentProd"}},
        {gathered_nd, {"GatherNd"}},
        {scattered_nd, {"ScatterNd"}},
        {scattered_into,
         {"TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub", "TensorScatterMax", "TensorScatterMin"}}};
    auto* made = new std::unordered_map<std::string_view, Rule>;
    for (const auto& [rule, ops] : ops_by_rule)
      for (const std::string_view op : ops) made->emplace(op, rule);
    return made;
  }();
  return *all;
}

}  // namespace

Tensor for_each_element(const Batched& value, const Tensor& size) {
  if (value.batched) return value.tensor;
  const Tensor front = reshape(size, one());
  return broadcast_to(expand_dims(value.tensor, 0), concat(std::array{front, shape(value.tensor)}, 0));
}

std::optional<std::vector<Batched>> apply_to_batch(const OpRow& row, const Attrs& attrs,
                                                   std::span<const Batched> inputs, const Tensor& size, bool lists) {
  const Call call{row, attrs, inputs, size};
  if (row.stateful()) return {};
  if (const Rule rule = lists ? list_rule(row.name) : nullptr)
    if (auto results = rule(call)) return results;
  if (std::ranges::any_of(inputs, [](const Batched& input) { return input.tensor.dtype() == DType::kVariant; }))
    return row.infer == infer::same && inputs.size() == 1 ? unary(call) : Result();
  if (const auto at = rules().find(row.name); at != rules().end()) return at->second(call);
  if (row.infer == infer::same && inputs.size() == 1) return unary(call);
  if (row.infer == infer::broadcast && row.family == OpFamily::kElementwise) return elementwise(call);
  return {};
}

}  // namespace footlight::ops
