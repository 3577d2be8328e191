// Public functions that take tensors apart and put them together.
#include "engine/ops/composite/composites.h"
#include "engine/ops/composite/define.h"
#include "engine/ops/indexed_slices.h"
#include "engine/ops/composite/scalar.h"

namespace footlight::composite {

namespace {

const AttrName kAxis{"axis"};

Arg concat(Args args, std::string_view name) {
  static const Op op{"ConcatV2"};
  static const Op same{"Identity"};
  auto values = tensors(args[0]);
  if (values.empty()) fail(ErrorKind::kValue, "tf.concat wants at least one tensor, the list is empty");
  if (values.size() == 1) return {apply(same, {values[0]}, {}, name_or(name, "concat"))};
  values.push_back(tensor(args[1]));
  return {apply(op.row(), values, {}, name_or(name, "concat"))};
}

Arg stack(Args args, std::string_view name) {
  static const Op op{"Pack"};
  const auto values = tensors(args[0]);
  if (values.empty()) {
    const Tensor none = Tensor::empty(DType::kFloat32, Shape{0}).as_constant();
    if (integer(args[1]) == 0) return {constant(none, name_or(name, "stack"))};
    fail(ErrorKind::kIndex, "tf.stack: an empty list has no axis ", integer(args[1]));
  }
  if (const Shape& shape = values[0].shape(); shape.has_rank()) {
    const int64_t ranks = shape.rank() + 1;
    if (integer(args[1]) < -ranks || integer(args[1]) >= ranks)
      fail(ErrorKind::kValue, "axis of tf.stack = ", integer(args[1]), " is outside of [-", ranks, ", ", ranks, ")");
  }
  return {apply(op.row(), values, {{kAxis, integer(args[1])}}, name_or(name, "stack"))};
}

// The size of a dimension that must be known.
int64_t size_along(const Tensor& x, int64_t axis, const char* function) {
  const Shape& shape = x.shape();
  if (!shape.has_rank())
    fail(ErrorKind::kValue, function, ": the rank of the tensor is not known; give the number of parts");
  if (axis < -shape.rank() || axis >= shape.rank())
    fail(ErrorKind::kValue, function, ": axis ", axis, " is outside of [-", shape.rank(), ", ", shape.rank(), ")");
  return shape[static_cast<int>(axis < 0 ? axis + shape.rank() : axis)];
}

Arg unstack(Args args, std::string_view name) {
  static const Op op{"Unpack"};
  static const AttrName kNum{"num"};
  const Tensor& x = tensor(args[0]);
  const int64_t axis = integer(args[2]);
  const int64_t count = args[1].none() ? size_along(x, axis, "tf.unstack") : integer(args[1]);
  if (count == kUnknownDim)
    fail(ErrorKind::kValue, "Cannot infer argument `num` from shape ", x.shape().to_string(),
         ": give it to tf.unstack");
  if (count < 0) invalid("Value for attr 'num' of ", count, " must be at least minimum 0 [Op:Unpack]");
  if (const Shape& s = x.shape(); s.has_rank() && axis >= -s.rank() && axis < s.rank())
    if (const int64_t size = s[static_cast<int>(axis < 0 ? axis + s.rank() : axis)]; size >= 0 && size != count)
      invalid("Input shape axis ", axis, " must equal ", count, ", got shape ", s.brackets(), " [Op:Unpack]");
  return {list_of(apply_all(op.row(), {&x, 1}, {{kAxis, axis}, {kNum, count}}, name_or(name, "unstack")))};
}

Arg split(Args args, std::string_view name) {
  static const Op op{"Split"};
  static const AttrName kNum{"num_split"};
  const Tensor& x = tensor(args[0]);
  const int64_t axis = integer(args[2]);
  const std::string_view node = name_or(name, "split");
  constexpr int64_t kMostParts = 1 << 24;
  const auto* is = std::get_if<bool>(&args[1].value);
  const int64_t as_number = is && *is;
  if (const auto* count = is ? &as_number : std::get_if<int64_t>(&args[1].value)) {
    if (*count < 1 || *count > kMostParts)
      invalid("Number of ways to split must be > 0 and no more than elements are, but got ", *count, " [Op:Split]");
    const Tensor inputs[] = {ops::integer(axis), x};
    return {list_of(apply_all(op.row(), inputs, {{kNum, *count}}, node))};
  }
  static const Op unequal{"SplitV"};
  if (args[1].none())
    fail(ErrorKind::kValue, "num_or_size_splits of tf.split is a number or a list of sizes, not None");
  const Tensor sizes = value_tensor(args[1], "num_or_size_splits of tf.split");
  if (sizes.shape().has_rank() && sizes.shape().rank() == 0)
    fail(ErrorKind::kValue, "the number of parts of tf.split must be a Python integer, a tensor came");
  const int64_t count = !args[3].none() ? integer(args[3]) : sizes.shape().has_rank() ? sizes.shape()[0] : kUnknownDim;
  if (count == kUnknownDim) fail(ErrorKind::kValue, "how many sizes tf.split was given is not known; say it with num=");
  if (count < 0 || count > kMostParts) invalid("the number of parts must not be ", count, " [Op:SplitV]");
  const Tensor inputs[] = {x, sizes, ops::integer(axis)};
  return {list_of(apply_all(unequal.row(), inputs, {{kNum, count}}, node))};
}

Arg gather(Args args, std::string_view name) {
  static const Op op{"GatherV2"};
  static const AttrName kBatchDims{"batch_dims"};
  const int64_t batch = integer(args[4]);
  const Tensor axis = args[3].none() ? ops::integer(batch) : tensor(args[3]);
  const bool variable = tensor(args[0]).dtype() == DType::kResource;
  if (variable && batch == 0) {
    const Tensor known = known_value(axis);
    if (known && one_integer(known, "axis of tf.gather") == 0)
      return {ops::gather_rows(tensor(args[0]), tensor(args[1]), name)};
  }
  const Tensor params = variable ? ops::value_of(tensor(args[0])) : tensor(args[0]);
  if (batch == 0) return {apply(op.row(), Borrowed(params, tensor(args[1]), axis), {}, name)};
  return {apply(op, {params, tensor(args[1]), axis}, {{kBatchDims, batch}}, name)};
}

Arg slice(Args args, std::string_view name) {
  static const Op op{"Slice"};
  return {apply(op, {tensor(args[0]), tensor(args[1]), tensor(args[2])}, {}, name)};
}

Arg strided_slice(Args args, std::string_view name) {
  static const Op op{"StridedSlice"};
  static const AttrName kMasks[] = {AttrName("begin_mask"), AttrName("end_mask"), AttrName("ellipsis_mask"),
                                    AttrName("new_axis_mask"), AttrName("shrink_axis_mask")};
  const Tensor& begin = tensor(args[1]);
  Tensor strides;
  if (!args[3].none()) {
    strides = tensor(args[3]);
  } else if (begin.shape().fully_known() && begin.shape().rank() == 1 && begin.dtype() != DType::kInt16) {
    strides = ops::ints(std::vector<int64_t>(static_cast<size_t>(begin.shape()[0]), 1), begin.dtype());
  } else {
    strides = ops::ones_like(begin);
  }
  Attrs attrs;
  for (size_t k = 0; k < std::size(kMasks); ++k) attrs.set(kMasks[k], integer(args[4 + k]));
  return {apply(op, {tensor(args[0]), begin, tensor(args[2]), strides}, attrs, name)};
}

Arg pad(Args args, std::string_view name) {
  static const Op zeros{"Pad"};
  static const Op value{"PadV2"};
  static const Op mirror{"MirrorPad"};
  static const AttrName kMode{"mode"};
  std::string mode = text(args[2]);
  std::transform(mode.begin(), mode.end(), mode.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; });
  if (mode == "REFLECT" || mode == "SYMMETRIC")
    return {apply(mirror, {tensor(args[0]), tensor(args[1])}, {{kMode, mode}}, name)};
  if (mode != "CONSTANT")
    fail(ErrorKind::kValue, "Unknown padding mode: '", text(args[2]), "', it is CONSTANT, REFLECT or SYMMETRIC");
  const Tensor& fill = tensor(args[3]);
  const bool is_zero = fill.body()->python_number && is_plain(fill.dtype()) &&
                       with_plain_type(fill.dtype(), [&](auto zero) {
                         return *fill.data<decltype(zero)>() == decltype(zero){};
                       });
  if (is_zero) return {apply(zeros, {tensor(args[0]), tensor(args[1])}, {}, name)};
  return {apply(value, {tensor(args[0]), tensor(args[1]), fill}, {}, name)};
}

Arg tile(Args args, std::string_view name) {
  static const Op op{"Tile"};
  return {apply(op, {tensor(args[0]), tensor(args[1])}, {}, name)};
}

}  // namespace

namespace {

// The dimensions of the mask become one, then what is true in it is gathered.
Tensor masked_along(const Tensor& x, const Tensor& mask, int64_t axis, std::string_view name) {
  static const Op where{"Where"};
  static const Op strided{"StridedSlice"};
  static const Op prod{"Prod"};
  static const AttrName kEnd{"end_mask"};
  const Shape& of_mask = mask.shape();
  const Shape& of_x = x.shape();
  if (!of_mask.has_rank())
    fail(ErrorKind::kValue, "Number of mask dimensions must be specified, even if some dimensions are None");
  const int rank = of_mask.rank();
  if (rank == 0) fail(ErrorKind::kValue, "mask cannot be scalar: it has at least one dimension");
  // Without a known rank a negative axis stays counted from the end.
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
      return apply(strided, {shape, ops::ints({begin}), ops::ints({end}), ops::ints({1})},
                   {{kEnd, int64_t{to_end}}});
    };
    const Tensor count = apply(prod, {part(first, first + rank, first < 0 && first + rank == 0), ops::ints({0})});
    std::vector<Tensor> parts;
    if (first != 0) parts.push_back(part(0, first, false));
    parts.push_back(ops::reshape(count, ops::ints({1})));
    if (first < 0 ? first + rank < 0 : !of_x.has_rank() || first + rank < of_x.rank())
      parts.push_back(part(first + rank, 0, true));
    rows = ops::reshape(x, ops::concat(parts, 0));
  }
  const Tensor line = rank == 1 ? mask : ops::reshape(mask, ops::ints({-1}));
  const Tensor places = ops::squeeze(apply(where, {line}), {1});
  return ops::gather(rows, places, first < 0 ? first + rank - 1 : first);
}

Arg masked(Args args, std::string_view name) {
  return {masked_along(tensor(args[0]), tensor(args[1]), args[2].none() ? 0 : integer(args[2]), name)};
}

}  // namespace

Tensor boolean_mask(const Tensor& x, const Tensor& mask) { return masked_along(x, mask, 0, {}); }

FL_PUBLIC(slice) {
  return {
      {"concat", "values: tensor*, axis: tensor of int32, name: str? = None", concat,
       "tensors joined along a dimension"},
      {"stack", "values: tensor* of all, axis: int = 0, name: str? = None", stack,
       "tensors of one shape along a new dimension"},
      {"unstack", "value: tensor, num: int? = None, axis: int = 0, name: str? = None", unstack,
       "the slices of a dimension"},
      {"split", "value: tensor, num_or_size_splits: any, axis: int = 0, num: int? = None, name: str? = None",
       split, "parts along a dimension, equal or of given sizes"},
      {"gather",
       "params: tensor or variable, indices: tensor, validate_indices: any? = None, axis: tensor? = None, "
       "batch_dims: int = 0, "
       "name: str? = None",
       gather, "slices of a dimension, chosen by indices"},
      {"slice", "input_: tensor, begin: tensor, size: tensor like begin, name: str? = None", slice,
       "a block of a tensor"},
      {"strided_slice",
       "input_: tensor, begin: tensor, end: tensor like begin, strides: tensor? like begin = None, "
       "begin_mask: int = 0, "
       "end_mask: int = 0, ellipsis_mask: int = 0, new_axis_mask: int = 0, shrink_axis_mask: int = 0, var: "
       "any? = None, "
       "name: str? = None",
       strided_slice, "x[begin:end:stride, ...] in all its forms"},
      {"pad",
       "tensor: tensor, paddings: tensor of int32, mode: str = 'CONSTANT', constant_values: tensor like "
       "tensor = 0, name: str? = None",
       pad, "one value around a tensor"},
      {"tile", "input: tensor, multiples: tensor of int32, name: str? = None", tile, "copies side by side"},
      {"boolean_mask", "tensor: tensor, mask: tensor, axis: int? = None, name: str? = None", masked,
       "the rows for which the mask is true"},
  };
}

}  // namespace footlight::composite
