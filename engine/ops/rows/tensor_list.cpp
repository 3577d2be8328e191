// Lists of tensors as values: what loops keep for their gradients and what a TensorArray of a graph consists
// of. The gradient of a list is a list of gradients.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"

#include <array>

namespace footlight {
namespace {

const AttrName kElementDType{"element_dtype"};

bool differentiable(DType dtype) { return is_floating(dtype) || is_complex(dtype) || dtype == DType::kVariant; }

// Reads the shape of elements from an input: a vector with -1 for an unknown dimension, or the scalar -1.
Shape element_shape(Inference& i, size_t input) {
  const Shape& own = i.shape(input);
  if (own.has_rank() && own.rank() == 0) return Shape::unknown_rank();
  return infer::shape_from(i, input, infer::NegativeSizes::kAllowed);
}

Tensor shape_input(const Shape& shape) { return shape.has_rank() ? ops::ints(shape.dims()) : ops::integer(-1); }

// The shape of `tensor`, or of its rows.
Tensor shape_of(const Tensor& tensor, bool rows) {
  const Shape& known = tensor.shape();
  if (known.fully_known() && (!rows || known.rank() > 0))
    return ops::ints(known.dims().subspan(rows ? 1 : 0));
  const Tensor all = ops::shape(tensor);
  return rows ? apply("StridedSlice"_op, {all, ops::ints({1}), ops::ints({0}), ops::ints({1})},
                      {{"end_mask"_attr, int64_t{1}}})
              : all;
}

Shape with_first(int64_t first, const Shape& rest) {
  if (!rest.has_rank()) return rest;
  Shape shape{first};
  for (const int64_t dim : rest.dims()) shape.append(dim);
  return shape;
}

void popped_shape(Inference& i) {
  i.output_shapes[0] = Shape();
  i.output_shapes[1] = element_shape(i, 1);
}
void item_shape(Inference& i) {
  infer::check_rank(i, 1, 0);
  i.output_shapes[0] = element_shape(i, 2);
}
void stacked_shape(Inference& i) {
  i.output_shapes[0] = with_first(i.attrs.get_or("num_elements"_attr, int64_t{-1}), element_shape(i, 1));
}
void gathered_shape(Inference& i) {
  infer::check_rank(i, 1, 1);
  const Shape& indices = i.shape(1);
  i.output_shapes[0] = with_first(indices.has_rank() ? indices[0] : kUnknownDim, element_shape(i, 2));
}
void joined_shape(Inference& i) {
  Shape shape = element_shape(i, 1);
  if (shape.has_rank() && shape.rank() > 0) shape.set(0, kUnknownDim);
  i.output_shapes[0] = shape;
  i.output_shapes[1] = Shape{kUnknownDim};
}
void rows_shape(Inference& i) {
  if (i.shape(0).has_rank() && i.shape(0).rank() == 0)
    invalid("Tensor must be at least a vector, but saw shape: [] [Op:", i.row.name, "]");
  i.output_shapes[0] = Shape();
}
void both_shape(Inference& i) {
  const Shape &a = i.shape(0), &b = i.shape(1);
  i.output_shapes[0] = compatible(a, b) ? merge(a, b) : a;
}
void shape_shape(Inference& i) { i.output_shapes[0] = Shape::unknown_rank(); }

Tensor length(const Tensor& list) { return apply("TensorListLength"_op, {list}); }
Tensor item(const Tensor& list, const Tensor& index, const Tensor& shape, DType dtype) {
  return apply("TensorListGetItem"_op, {list, index, shape}, {{kElementDType, dtype}});
}
Tensor with_item(const Tensor& list, const Tensor& index, const Tensor& value) {
  return apply("TensorListSetItem"_op, {list, index, value}, {{kElementDType, value.dtype()}});
}
Tensor of_rows(const Tensor& tensor, const Tensor& shape) {
  return apply("TensorListFromTensor"_op, {tensor, shape}, {{kElementDType, tensor.dtype()}});
}
Tensor element_shape_of(const Tensor& list) {
  return apply("TensorListElementShape"_op, {list}, {{"shape_type"_attr, DType::kInt32}});
}
// A list as long as `list` whose items have no values.
Tensor empty_like(const Tensor& list, DType dtype) {
  return apply("TensorListReserve"_op, {element_shape_of(list), length(list)}, {{kElementDType, dtype}});
}
Tensor zeros_for(const Tensor& value) {
  if (!value.shape().fully_known() || value.dtype() == DType::kVariant) return ops::zeros_like(value);
  return ops::fill(ops::ints(value.shape().dims()),
                   ops::number(0, value.dtype()));  // does not keep the value
}

void push_gradient(GradientCall& c) {
  const DType pushed = c.inputs[1].dtype();
  const std::vector<Tensor> both =
      apply_all("TensorListPopBack"_op.row(), std::array{c.output_gradients[0], shape_of(c.inputs[1], false)},
                {{kElementDType, pushed}});
  c.input_gradients[0] = both[0];
  if (differentiable(pushed)) c.input_gradients[1] = both[1];
}

void pop_gradient(GradientCall& c) {
  const auto arrived = [&](size_t k) {
    return c.output_gradients[k] ? c.output_gradients[k] : ops::zeros_like(c.outputs[k]);
  };
  c.input_gradients[0] =
      apply("TensorListPushBack"_op, {arrived(0), arrived(1)}, {{kElementDType, c.outputs[1].dtype()}});
}

void get_gradient(GradientCall& c) {
  if (!differentiable(c.outputs[0].dtype())) return;
  c.input_gradients[0] =
      with_item(empty_like(c.inputs[0], c.outputs[0].dtype()), c.inputs[1], c.output_gradients[0]);
}

void set_gradient(GradientCall& c) {
  const Tensor& value = c.inputs[2];
  if (!differentiable(value.dtype())) return;
  const Tensor& arriving = c.output_gradients[0];
  c.input_gradients[2] = item(arriving, c.inputs[1], shape_of(value, false), value.dtype());
  const Tensor rest = with_item(arriving, c.inputs[1], zeros_for(value));
  // The op may have made the list longer to hold the item.
  const bool grows = c.attrs.get_or("resize_if_index_out_of_bounds"_attr, false);
  c.input_gradients[0] = grows ? apply("TensorListResize"_op, {rest, length(c.inputs[0])}) : rest;
}

void resize_gradient(GradientCall& c) {
  c.input_gradients[0] = footlight::apply(c.row, std::array{c.output_gradients[0], length(c.inputs[0])});
}

void stack_gradient(GradientCall& c) {
  if (differentiable(c.outputs[0].dtype()))
    c.input_gradients[0] = of_rows(c.output_gradients[0], shape_of(c.outputs[0], true));
}

void from_gradient(GradientCall& c) {
  const Tensor& whole = c.inputs[0];
  if (!differentiable(whole.dtype())) return;
  const Shape& known = whole.shape();
  c.input_gradients[0] =
      apply("TensorListStack"_op, {c.output_gradients[0], shape_of(whole, true)},
            {{kElementDType, whole.dtype()},
             {"num_elements"_attr, known.has_rank() && known.rank() > 0 ? known[0] : int64_t{-1}}});
}

// An item that was gathered twice gets both gradients.
void gather_gradient(GradientCall& c) {
  if (!differentiable(c.outputs[0].dtype())) return;
  const Tensor rows = apply("UnsortedSegmentSum"_op, {c.output_gradients[0], c.inputs[1], length(c.inputs[0])});
  c.input_gradients[0] = of_rows(rows, shape_of(c.outputs[0], true));
}

Tensor gathered(const Tensor& list, const Tensor& indices, const Tensor& like) {
  return apply("TensorListGather"_op, {list, indices, shape_of(like, true)}, {{kElementDType, like.dtype()}});
}
void scatter_gradient(GradientCall& c) {
  if (differentiable(c.inputs[0].dtype()))
    c.input_gradients[0] = gathered(c.output_gradients[0], c.inputs[1], c.inputs[0]);
}
void scatter_into_gradient(GradientCall& c) {
  if (!differentiable(c.inputs[1].dtype())) return;
  c.input_gradients[1] = gathered(c.output_gradients[0], c.inputs[2], c.inputs[1]);
  c.input_gradients[0] =
      footlight::apply(c.row, std::array{c.output_gradients[0], zeros_for(c.inputs[1]), c.inputs[2]},
                       {{kElementDType, c.inputs[1].dtype()}});
}

void split_gradient(GradientCall& c) {
  const Tensor& whole = c.inputs[0];
  if (!differentiable(whole.dtype())) return;
  Shape shape = whole.shape();
  if (shape.has_rank() && shape.rank() > 0) shape.set(0, kUnknownDim);
  c.input_gradients[0] =
      apply_all("TensorListConcatV2"_op.row(), std::array{c.output_gradients[0], shape_input(shape), c.inputs[2]},
                {{kElementDType, whole.dtype()}})[0];
}
void concat_gradient(GradientCall& c) {
  if (!c.output_gradients[0] || !differentiable(c.outputs[0].dtype())) return;
  c.input_gradients[0] = apply("TensorListSplit"_op, {c.output_gradients[0], c.inputs[1], c.outputs[1]},
                               {{kElementDType, c.outputs[0].dtype()}});
}

}  // namespace

FL_ROWS(tensor_list) {
  constexpr RowsOf control_row{OpFamily::kControl};
  constexpr const char* kElement = "element_dtype: any";
  constexpr const char* kShaped = "element_dtype: any; shape_type: index = int32";
  return {
      control_row("EmptyTensorList", "element_shape: shape_type, max_num_elements: int32 -> handle: variant", kShaped,
                  infer::scalar, nullptr, "a list of no tensors", {.host_inputs = 3, .zero_gradient = true}),
      // Without inputs it may come after the loop that it is added to.
      control_row("EmptyValueList", "-> handle: variant", "element_dtype: any; element_shape: shape = unknown",
                  infer::scalar, nullptr, "a list of no tensors yet, for what a loop keeps for its gradient",
                  {.zero_gradient = true}),
      control_row("TensorListReserve", "element_shape: shape_type, num_elements: int32 -> handle: variant", kShaped,
                  infer::scalar, nullptr, "a list of so many elements without a value",
                  {.host_inputs = 3, .zero_gradient = true}),
      control_row("TensorListPushBack", "input_handle: variant, tensor: element_dtype -> output_handle: variant",
                  kElement, infer::scalar, push_gradient, "the list with one tensor more"),
      control_row("TensorListPushBackBatch", "input_handles: variant, tensor: element_dtype -> output_handles: variant",
                  kElement, infer::same, nullptr, "lists with one tensor more each: a row of the tensor",
                  {.zero_gradient = true}),
      control_row("TensorListConcatLists", "input_a: variant, input_b: variant -> output: variant", kElement,
                  both_shape, nullptr, "the tensors of one list behind those of another", {.zero_gradient = true}),
      control_row("TensorListPopBack",
                  "input_handle: variant, element_shape: int32 -> output_handle: variant, tensor: element_dtype",
                  kElement, popped_shape, pop_gradient, "the list without its last tensor, and that tensor",
                  {.host_inputs = 2}),
      control_row("TensorListLength", "input_handle: variant -> length: int32", "", infer::scalar, nullptr,
                  "the number of elements", {.zero_gradient = true}),
      control_row("TensorListElementShape", "input_handle: variant -> element_shape: shape_type", "shape_type: index",
                  shape_shape, nullptr, "the declared shape of the elements; -1 for what is not known",
                  {.zero_gradient = true}),
      control_row("TensorListResize", "input_handle: variant, size: int32 -> output_handle: variant", "", infer::scalar,
                  resize_gradient, "the list with its end cut off, or with elements without a value at its end",
                  {.host_inputs = 2}),
      control_row("TensorListGetItem",
                  "input_handle: variant, index: int32, element_shape: Tshape -> item: element_dtype",
                  "element_dtype: any; Tshape: index = int32", item_shape, get_gradient, "one tensor of a list",
                  {.host_inputs = 6}),
      control_row("TensorListSetItem",
                  "input_handle: variant, index: int32, item: element_dtype -> output_handle: variant",
                  "element_dtype: any; resize_if_index_out_of_bounds: bool = false", infer::scalar, set_gradient,
                  "the list with another tensor in one place", {.host_inputs = 2}),
      control_row("TensorListStack", "input_handle: variant, element_shape: int32 -> tensor: element_dtype",
                  "element_dtype: any; num_elements: int = -1", stacked_shape, stack_gradient,
                  "all tensors of a list, along a new first dimension", {.host_inputs = 2}),
      control_row("TensorListFromTensor", "tensor: element_dtype, element_shape: shape_type -> output_handle: variant",
                  kShaped, rows_shape, from_gradient, "the rows of a tensor as a list", {.host_inputs = 2}),
      control_row("TensorListGather",
                  "input_handle: variant, indices: int32, element_shape: int32 -> values: element_dtype", kElement,
                  gathered_shape, gather_gradient, "some tensors of a list, along a new first dimension",
                  {.host_inputs = 6}),
      control_row("TensorListScatterV2",
                  "tensor: element_dtype, indices: int32, element_shape: shape_type, num_elements: int32 -> "
                  "output_handle: variant",
                  kShaped, rows_shape, scatter_gradient, "a list with the rows of a tensor at some places",
                  {.host_inputs = 14}),
      control_row("TensorListScatterIntoExistingList",
                  "input_handle: variant, tensor: element_dtype, indices: int32 -> output_handle: variant", kElement,
                  infer::scalar, scatter_into_gradient, "the list with the rows of a tensor at some places",
                  {.host_inputs = 4}),
      control_row("TensorListSplit",
                  "tensor: element_dtype, element_shape: shape_type, lengths: int64 -> output_handle: variant", kShaped,
                  rows_shape, split_gradient, "parts of a tensor, cut along its first dimension, as a list",
                  {.host_inputs = 6}),
      control_row("TensorListConcatV2",
                  "input_handle: variant, element_shape: shape_type, leading_dims: int64 -> tensor: element_dtype, "
                  "lengths: int64",
                  kShaped, joined_shape, concat_gradient,
                  "the tensors of a list joined along their first dimension, and how long each is there",
                  {.host_inputs = 6}),
  };
}

}  // namespace footlight
