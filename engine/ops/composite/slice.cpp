// Public functions that split and join tensors.
#include "engine/ops/composite/composites.h"
#include "engine/ops/composite/define.h"
#include "engine/ops/indexed_slices.h"
#include "engine/ops/composite/scalar.h"

namespace footlight::composite {

namespace {

Arg concat(const std::vector<Tensor>& values_given, const Tensor& axis, std::string_view name) {
  auto values = values_given;
  if (values.empty()) fail(ErrorKind::kValue, "tf.concat requires at least one tensor, got an empty list");
  if (values.size() == 1) return {apply("Identity"_op, {values[0]}, {}, name_or(name, "concat"))};
  values.push_back(axis);
  return {apply("ConcatV2"_op.row(), values, {}, name_or(name, "concat"))};
}

Arg stack(const std::vector<Tensor>& values, int64_t axis, std::string_view name) {
  if (values.empty()) {
    const Tensor none = Tensor::empty(DType::kFloat32, Shape{0}).as_constant();
    if (axis == 0) return {constant(none, name_or(name, "stack"))};
    fail(ErrorKind::kIndex, "tf.stack: an empty list has no axis ", axis);
  }
  if (const Shape& shape = values[0].shape(); shape.has_rank()) {
    const int64_t ranks = shape.rank() + 1;
    if (axis < -ranks || axis >= ranks)
      fail(ErrorKind::kValue, "axis of tf.stack = ", axis, " is outside of [-", ranks, ", ", ranks, ")");
  }
  return {apply("Pack"_op.row(), values, {{"axis"_attr, axis}}, name_or(name, "stack"))};
}

// The size of a dimension, which must be known.
int64_t size_along(const Tensor& x, int64_t axis, const char* function) {
  const Shape& shape = x.shape();
  if (!shape.has_rank())
    fail(ErrorKind::kValue, function, ": the rank of the tensor is not known; pass the number of parts");
  if (axis < -shape.rank() || axis >= shape.rank())
    fail(ErrorKind::kValue, function, ": axis ", axis, " is outside of [-", shape.rank(), ", ", shape.rank(), ")");
  return shape[static_cast<int>(axis < 0 ? axis + shape.rank() : axis)];
}

Arg unstack(const Tensor& x, std::optional<int64_t> num, int64_t axis, std::string_view name) {
  const int64_t count = !num ? size_along(x, axis, "tf.unstack") : *num;
  if (count == kUnknownDim)
    fail(ErrorKind::kValue, "Cannot infer argument `num` from shape ", x.shape().to_string(),
         ": give it to tf.unstack");
  if (count < 0) invalid("Value for attr 'num' of ", count, " must be at least minimum 0 [Op:Unpack]");
  if (const Shape& s = x.shape(); s.has_rank() && axis >= -s.rank() && axis < s.rank())
    if (const int64_t size = s[static_cast<int>(axis < 0 ? axis + s.rank() : axis)]; size >= 0 && size != count)
      invalid("Input shape axis ", axis, " must equal ", count, ", got shape ", s.brackets(), " [Op:Unpack]");
  return {list_of(
      apply_all("Unpack"_op.row(), {&x, 1}, {{"axis"_attr, axis}, {"num"_attr, count}}, name_or(name, "unstack")))};
}

Arg split(const Tensor& x, const Arg& num_or_size_splits, int64_t axis, std::optional<int64_t> num,
          std::string_view name) {
  const std::string_view node = name_or(name, "split");
  constexpr int64_t kMaxParts = 1 << 24;
  const auto* is = std::get_if<bool>(&num_or_size_splits.value);
  const int64_t as_number = is && *is;
  if (const auto* count = is ? &as_number : std::get_if<int64_t>(&num_or_size_splits.value)) {
    if (*count < 1 || *count > kMaxParts)
      invalid("Number of ways to split must be > 0 and no more than elements are, but got ", *count, " [Op:Split]");
    const Tensor inputs[] = {ops::integer(axis), x};
    return {list_of(apply_all("Split"_op.row(), inputs, {{"num_split"_attr, *count}}, node))};
  }
  if (num_or_size_splits.none())
    fail(ErrorKind::kValue, "num_or_size_splits of tf.split is a number or a list of sizes, not None");
  const Tensor sizes = value_tensor(num_or_size_splits, "num_or_size_splits of tf.split");
  if (sizes.shape().has_rank() && sizes.shape().rank() == 0)
    fail(ErrorKind::kValue, "the number of parts of tf.split must be a Python integer, got a tensor");
  const int64_t count = num ? *num : sizes.shape().has_rank() ? sizes.shape()[0] : kUnknownDim;
  if (count == kUnknownDim)
    fail(ErrorKind::kValue, "the number of sizes passed to tf.split is not known; pass it as num=");
  if (count < 1 || count > kMaxParts)
    invalid("num_split is ", count, ", it must be from 1 to ", kMaxParts, " [Op:SplitV]");
  const Tensor inputs[] = {x, sizes, ops::integer(axis)};
  return {list_of(apply_all("SplitV"_op.row(), inputs, {{"num_split"_attr, count}}, node))};
}

Arg gather(const Tensor& params_given, const Tensor& indices, const Arg&, const Tensor& axes, int64_t batch,
           std::string_view name) {
  const Tensor axis = !axes ? ops::integer(batch) : axes;
  const bool variable = params_given.dtype() == DType::kResource;
  if (variable && batch == 0) {
    const Tensor known = known_value(axis);
    if (known && one_integer(known, "axis of tf.gather") == 0)
      return {ops::gather_rows(params_given, indices, name)};
  }
  const Tensor params = variable ? ops::value_of(params_given) : params_given;
  if (batch == 0) return {apply("GatherV2"_op.row(), Borrowed(params, indices, axis), {}, name)};
  return {apply("GatherV2"_op, {params, indices, axis}, {{"batch_dims"_attr, batch}}, name)};
}

Arg slice(const Tensor& input_, const Tensor& begin_given, const Tensor& size_given, std::string_view name) {
  Tensor begin = begin_given, size = size_given;
  one_index_type({&begin, &size});
  return {apply("Slice"_op, {input_, begin, size}, {}, name)};
}

Arg strided_slice(const Tensor& input, const Tensor& begin_given, const Tensor& end_given, const Tensor& given_strides,
                  int64_t begin_mask, int64_t end_mask, int64_t ellipsis_mask, int64_t new_axis_mask,
                  int64_t shrink_axis_mask, const Arg&, std::string_view name) {
  Tensor begin = begin_given, end = end_given, strides = given_strides;
  if (strides) one_index_type({&begin, &end, &strides});
  else one_index_type({&begin, &end});
  if (strides) {
  } else if (begin.shape().fully_known() && begin.shape().rank() == 1 && begin.dtype() != DType::kInt16) {
    strides = ops::ints(std::vector<int64_t>(static_cast<size_t>(begin.shape()[0]), 1), begin.dtype());
  } else {
    strides = ops::ones_like(begin);
  }
  return {apply("StridedSlice"_op, {input, begin, end, strides},
                {{"begin_mask"_attr, begin_mask},
                 {"end_mask"_attr, end_mask},
                 {"ellipsis_mask"_attr, ellipsis_mask},
                 {"new_axis_mask"_attr, new_axis_mask},
                 {"shrink_axis_mask"_attr, shrink_axis_mask}},
                name)};
}

Arg pad(const Tensor& tensor, const Tensor& paddings, const std::string& mode_given, const Tensor& fill,
        std::string_view name) {
  std::string mode = mode_given;
  std::transform(mode.begin(), mode.end(), mode.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; });
  if (mode == "REFLECT" || mode == "SYMMETRIC")
    return {apply("MirrorPad"_op, {tensor, paddings}, {{"mode"_attr, mode}}, name)};
  if (mode != "CONSTANT")
    fail(ErrorKind::kValue, "Unknown padding mode: '", mode_given, "', it is CONSTANT, REFLECT or SYMMETRIC");
  const bool is_zero = fill.body()->python_number && is_plain(fill.dtype()) &&
                       with_plain_type(fill.dtype(), [&](auto zero) {
                         return *fill.data<decltype(zero)>() == decltype(zero){};
                       });
  if (is_zero) return {apply("Pad"_op, {tensor, paddings}, {}, name)};
  return {apply("PadV2"_op, {tensor, paddings, fill}, {}, name)};
}

Arg tile(const Tensor& input, const Tensor& multiples, std::string_view name) {
  return {apply("Tile"_op, {input, multiples}, {}, name)};
}

}  // namespace

namespace {

// The dimensions of the mask are flattened into one, then the true positions are gathered.
Tensor masked_along(const Tensor& x, const Tensor& mask, int64_t axis, std::string_view name) {
  const Shape& of_mask = mask.shape();
  const Shape& of_x = x.shape();
  if (!of_mask.has_rank())
    fail(ErrorKind::kValue, "Number of mask dimensions must be specified, even if some dimensions are None");
  const int rank = of_mask.rank();
  if (rank == 0) fail(ErrorKind::kValue, "mask cannot be scalar: it has at least one dimension");
  // A negative axis counts from the end, even if the rank is unknown.
  const int64_t first = axis < 0 && of_x.has_rank() ? axis + of_x.rank() : axis;
  const Scope scope(name_or(name, "boolean_mask"));
  Tensor rows = x;
  if (of_x.has_rank()) {
    if (first < 0 || first + rank > of_x.rank())
      fail(ErrorKind::kValue, "Shapes ", of_x.to_string(), " of the tensor and ", of_mask.to_string(),
           " of the mask are incompatible along axis ", axis);
    const Shape covered(of_x.dims().subspan(static_cast<size_t>(first), static_cast<size_t>(rank)));
    if (!compatible(covered, of_mask))
      fail(ErrorKind::kValue, "Shapes ", covered.to_string(), " of the tensor and ", of_mask.to_string(),
           " of the mask are incompatible");
  }
  if (rank > 1) {
    const Tensor shape = ops::shape(x);
    const auto part = [&](int64_t begin, int64_t end, bool to_end) {
      return apply("StridedSlice"_op, {shape, ops::ints({begin}), ops::ints({end}), ops::ints({1})},
                   {{"end_mask"_attr, int64_t{to_end}}});
    };
    const Tensor count = apply("Prod"_op, {part(first, first + rank, first < 0 && first + rank == 0), ops::ints({0})});
    std::vector<Tensor> parts;
    if (first != 0) parts.push_back(part(0, first, false));
    parts.push_back(ops::reshape(count, ops::ints({1})));
    if (first < 0 ? first + rank < 0 : !of_x.has_rank() || first + rank < of_x.rank())
      parts.push_back(part(first + rank, 0, true));
    rows = ops::reshape(x, ops::concat(parts, 0));
  }
  const Tensor line = rank == 1 ? mask : ops::reshape(mask, ops::ints({-1}));
  const Tensor places = ops::squeeze(apply("Where"_op, {line}), {1});
  return ops::gather(rows, places, first < 0 ? first + rank - 1 : first);
}

Arg masked(const Tensor& tensor, const Tensor& mask, std::optional<int64_t> axis, std::string_view name) {
  return {masked_along(tensor, mask, !axis ? 0 : possible_axis(*axis, "tf.boolean_mask"), name)};
}

}  // namespace

Tensor boolean_mask(const Tensor& x, const Tensor& mask) { return masked_along(x, mask, 0, {}); }

FL_PUBLIC(slice) {
  return {
      {"concat", "values: tensor*, axis: tensor of int32, name: str? = None", bind<concat>,
       "tensors joined along a dimension"},
      {"stack", "values: tensor* of all, axis: int = 0, name: str? = None", bind<stack>,
       "tensors of the same shape stacked along a new dimension"},
      {"unstack", "value: tensor, num: int? = None, axis: int = 0, name: str? = None", bind<unstack>,
       "the slices of a dimension"},
      {"split", "value: tensor, num_or_size_splits: any, axis: int = 0, num: int? = None, name: str? = None",
       bind<split>, "parts along a dimension, equal or of given sizes"},
      {"gather",
       "params: tensor or variable, indices: tensor, validate_indices: any? = None, axis: tensor? = None, "
       "batch_dims: int = 0, "
       "name: str? = None",
       bind<gather>, "slices of a dimension, chosen by indices"},
      {"slice", "input_: tensor, begin: tensor, size: tensor of int32, name: str? = None", bind<slice>,
       "a block of a tensor"},
      {"strided_slice",
       "input_: tensor, begin: tensor, end: tensor of int32, strides: tensor? of int32 = None, "
       "begin_mask: int = 0, "
       "end_mask: int = 0, ellipsis_mask: int = 0, new_axis_mask: int = 0, shrink_axis_mask: int = 0, var: "
       "any? = None, "
       "name: str? = None",
       bind<strided_slice>, "x[begin:end:stride, ...] in all its forms"},
      {"pad",
       "tensor: tensor, paddings: tensor of int32, mode: str = 'CONSTANT', constant_values: tensor like "
       "tensor = 0, name: str? = None",
       bind<pad>, "one value around a tensor"},
      {"tile", "input: tensor, multiples: tensor of int32, name: str? = None", bind<tile>, "copies side by side"},
      {"boolean_mask", "tensor: tensor, mask: tensor, axis: int? = None, name: str? = None", bind<masked>,
       "the rows for which the mask is true"},
  };
}

}  // namespace footlight::composite
