// Public functions that take tensors apart and put them together.
#include "engine/ops/composite/composites.h"
#include "engine/ops/composite/define.h"
#include "engine/ops/indexed_slices.h"
#include "engine/ops/infer.h"

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
  if (values.empty()) fail(ErrorKind::kValue, "tf.stack wants at least one tensor, the list is empty");
  if (const Shape& shape = values[0].shape(); shape.has_rank()) {
    const int64_t ranks = shape.rank() + 1;
    if (integer(args[1]) < -ranks || integer(args[1]) >= ranks)
      fail(ErrorKind::kValue, "axis of tf.stack = ", integer(args[1]), " is outside of [-", ranks, ", ", ranks, ")");
  }
  return {apply(op.row(), values, {{kAxis, integer(args[1])}}, name_or(name, "stack"))};
}

ArgList list_of(const std::vector<Tensor>& values) {
  ArgList out;
  for (const Tensor& t : values) out.push_back({t});
  return out;
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
  return {list_of(apply_all(op.row(), {&x, 1}, {{kAxis, axis}, {kNum, count}}, name_or(name, "unstack")))};
}

Arg split(Args args, std::string_view name) {
  static const Op op{"Split"};
  static const AttrName kNum{"num_split"};
  const Tensor& x = tensor(args[0]);
  const int64_t axis = integer(args[2]);
  const std::string_view node = name_or(name, "split");
  if (const auto* count = std::get_if<int64_t>(&args[1].value)) {
    const Tensor inputs[] = {ops::integer(axis), x};
    return {list_of(apply_all(op.row(), inputs, {{kNum, *count}}, node))};
  }
  static const Op unequal{"SplitV"};
  Tensor sizes;
  if (const Tensor* given = std::get_if<Tensor>(&args[1].value)) {
    sizes = *given;
  } else {
    sizes = ops::ints(integers(args[1]));
  }
  if (sizes.shape().has_rank() && sizes.shape().rank() == 0)
    fail(ErrorKind::kValue, "the number of parts of tf.split must be a Python integer, a tensor came");
  const int64_t count = !args[3].none() ? integer(args[3]) : sizes.shape().has_rank() ? sizes.shape()[0] : kUnknownDim;
  if (count == kUnknownDim) fail(ErrorKind::kValue, "how many sizes tf.split was given is not known; say it with num=");
  const Tensor inputs[] = {x, sizes, ops::integer(axis)};
  return {list_of(apply_all(unequal.row(), inputs, {{kNum, count}}, node))};
}

Arg gather(Args args, std::string_view name) {
  static const Op op{"GatherV2"};
  static const AttrName kBatchDims{"batch_dims"};
  const int64_t batch = integer(args[4]);
  const Tensor axis = args[3].none() ? ops::integer(batch) : tensor(args[3]);
  const Tensor known = known_value(axis);
  if (batch == 0 && tensor(args[0]).dtype() == DType::kResource && known && infer::ints_of(known)[0] == 0)
    return {ops::gather_rows(tensor(args[0]), tensor(args[1]), name == "gather" ? std::string_view() : name)};
  const Tensor params = ops::value_of(tensor(args[0]));
  if (batch == 0) return {apply(op, {params, tensor(args[1]), axis}, {}, name)};
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
  const Tensor strides = args[3].none() ? ops::ones_like(begin).as_constant() : tensor(args[3]);
  Attrs attrs;
  for (size_t k = 0; k < std::size(kMasks); ++k) attrs.set(kMasks[k], integer(args[4 + k]));
  return {apply(op, {tensor(args[0]), begin, tensor(args[2]), strides}, attrs, name)};
}

Arg pad(Args args, std::string_view name) {
  static const Op zeros{"Pad"};
  static const Op value{"PadV2"};
  const std::string& mode = text(args[2]);
  if (mode != "CONSTANT" && mode != "constant")
    fail(ErrorKind::kUnimplemented, "tf.pad offers mode 'CONSTANT', not '", mode, "'");
  const Tensor& fill = tensor(args[3]);
  const bool is_zero = fill.body()->python_number && with_plain_type(fill.dtype(), [&](auto zero) {
    return *fill.data<decltype(zero)>() == decltype(zero){};
  });
  if (is_zero) return {apply(zeros, {tensor(args[0]), tensor(args[1])}, {}, name)};
  return {apply(value, {tensor(args[0]), tensor(args[1]), fill}, {}, name)};
}

Arg masked(Args args, std::string_view) { return {boolean_mask(tensor(args[0]), tensor(args[1]))}; }

Arg tile(Args args, std::string_view name) {
  static const Op op{"Tile"};
  return {apply(op, {tensor(args[0]), tensor(args[1])}, {}, name)};
}

}  // namespace

// The dimensions of the mask become one, then rows are gathered.
Tensor boolean_mask(const Tensor& x, const Tensor& mask) {
  static const Op where{"Where"};
  static const Op gather{"GatherV2"};
  static const Op squeeze{"Squeeze"};
  static const AttrName kDims{"squeeze_dims"};
  const Shape& of_mask = mask.shape();
  if (mask.dtype() != DType::kBool)
    fail(ErrorKind::kType, "a mask is a tensor of bool, one of ", name_of(mask.dtype()), " came");
  if (!of_mask.has_rank() || !x.shape().has_rank())
    fail(ErrorKind::kValue, "the ranks of tensor and mask must be known");
  if (of_mask.rank() == 0) fail(ErrorKind::kValue, "a mask has at least one dimension, a scalar came");
  if (of_mask.rank() > x.shape().rank())
    fail(ErrorKind::kValue, "the mask has more dimensions than the tensor: ", of_mask.to_string(), " and ",
         x.shape().to_string());
  for (int d = 0; d < of_mask.rank(); ++d)
    if (of_mask[d] != kUnknownDim && x.shape()[d] != kUnknownDim && of_mask[d] != x.shape()[d])
      fail(ErrorKind::kValue, "Shapes ", x.shape().to_string(), " of the tensor and ", of_mask.to_string(),
           " of the mask are incompatible");
  const Scope scope("boolean_mask");
  std::vector<int64_t> flat{-1};
  for (int d = of_mask.rank(); d < x.shape().rank(); ++d) {
    if (x.shape()[d] == kUnknownDim && of_mask.rank() > 1)
      fail(ErrorKind::kValue, "the dimensions behind the mask must be known: ", x.shape().to_string());
    flat.push_back(x.shape()[d]);
  }
  const Tensor rows = of_mask.rank() == 1 ? x : ops::reshape(x, ops::ints(flat));
  const Tensor line = of_mask.rank() == 1 ? mask : ops::reshape(mask, ops::ints({-1}));
  const Tensor places = apply(squeeze, {apply(where, {line})}, {{kDims, std::vector<int64_t>{1}}});
  return apply(gather, {rows, places, ops::integer(0)});
}

FL_PUBLIC(slice) {
  return {
      {"concat", "values: tensor*, axis: tensor of int32, name: str? = None", concat,
       "tensors joined along a dimension"},
      {"stack", "values: tensor*, axis: int = 0, name: str? = None", stack,
       "tensors of one shape along a new dimension"},
      {"unstack", "value: tensor, num: int? = None, axis: int = 0, name: str? = None", unstack,
       "the slices of a dimension"},
      {"split", "value: tensor, num_or_size_splits: any, axis: int = 0, num: int? = None, name: str? = None",
       split, "parts along a dimension, equal or of given sizes"},
      {"gather",
       "params: tensor or variable, indices: tensor of int32, validate_indices: any? = None, axis: tensor? = None, "
       "batch_dims: int = 0, "
       "name: str? = None",
       gather, "slices of a dimension, chosen by indices"},
      {"slice", "input_: tensor, begin: tensor of int32, size: tensor like begin, name: str? = None", slice,
       "a block of a tensor"},
      {"strided_slice",
       "input_: tensor, begin: tensor of int32, end: tensor like begin, strides: tensor? like begin = None, "
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
      {"boolean_mask", "tensor: tensor, mask: tensor of bool, axis: int? = None, name: str? = None", masked,
       "the rows for which the mask is true"},
  };
}

}  // namespace footlight::composite
