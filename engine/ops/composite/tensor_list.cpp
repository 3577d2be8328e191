// The list ops under their own names, as in tf.raw_ops: tf.TensorArray uses them.
#include "engine/ops/composite/define.h"

namespace footlight::composite {
namespace {

Attrs of_elements(const Arg& given) { return {{"element_dtype"_attr, dtype(given)}}; }

std::vector<Tensor> inputs_of(Args args) {
  std::vector<Tensor> inputs;
  for (const Arg& arg : args) inputs.push_back(tensor(arg));
  return inputs;
}

// The op's inputs, then the dtype of the elements.
template <Literal op_name>
Arg typed(Args args, std::string_view name) {
  const std::vector<Tensor> inputs = inputs_of(args.first(args.size() - 1));
  std::vector<Tensor> outputs = apply_all(op_named<op_name>().row(), inputs, of_elements(args.back()), name);
  if (outputs.size() == 1) return {std::move(outputs[0])};
  return {list_of(outputs)};
}

Arg element_shape(const Tensor& list, DType type, std::string_view name) {
  return {apply("TensorListElementShape"_op, {list}, {{"shape_type"_attr, type}}, name)};
}
Arg set_item(const Tensor& list, const Tensor& index, const Tensor& item, bool resize,
             std::string_view name) {
  Attrs attrs;
  if (resize) attrs.set("resize_if_index_out_of_bounds"_attr, true);
  return {apply("TensorListSetItem"_op, {list, index, item}, attrs, name)};
}
Arg stack(const Tensor& list, const Tensor& shape, DType type, int64_t count, std::string_view name) {
  return {
      apply("TensorListStack"_op, {list, shape}, {{"element_dtype"_attr, type}, {"num_elements"_attr, count}}, name)};
}

}  // namespace

FL_PUBLIC(tensor_list) {
  return {
      {"raw_ops.TensorListReserve",
       "element_shape: tensor of int32, num_elements: tensor of int32, element_dtype: dtype, name: str? = "
       "None",
       typed<"TensorListReserve">, "a list of so many elements without a value"},
      {"raw_ops.TensorListPushBack", "input_handle: tensor, tensor: tensor, name: str? = None",
       one_op<"TensorListPushBack">, "the list with one tensor more"},
      {"raw_ops.TensorListPopBack",
       "input_handle: tensor, element_shape: tensor of int32, element_dtype: dtype, name: str? = None -> "
       "TensorListPopBack(output_handle, tensor)",
       typed<"TensorListPopBack">, "the list without its last tensor, and that tensor"},
      {"raw_ops.TensorListLength", "input_handle: tensor, name: str? = None", one_op<"TensorListLength">,
       "the number of elements"},
      {"raw_ops.TensorListElementShape", "input_handle: tensor, shape_type: dtype, name: str? = None",
       bind<element_shape>, "the declared shape of the elements; -1 for what is not known"},
      {"raw_ops.TensorListResize", "input_handle: tensor, size: tensor of int32, name: str? = None",
       one_op<"TensorListResize">,
       "the list with its end cut off, or with elements without a value at its end"},
      {"raw_ops.TensorListGetItem",
       "input_handle: tensor, index: tensor of int32, element_shape: tensor of int32, element_dtype: dtype, "
       "name: "
       "str? = None",
       typed<"TensorListGetItem">, "one tensor of a list"},
      {"raw_ops.TensorListSetItem",
       "input_handle: tensor, index: tensor of int32, item: tensor, resize_if_index_out_of_bounds: bool = "
       "False, "
       "name: str? = None",
       bind<set_item>, "the list with another tensor in one place"},
      {"raw_ops.TensorListStack",
       "input_handle: tensor, element_shape: tensor of int32, element_dtype: dtype, num_elements: int = -1, "
       "name: "
       "str? = None",
       bind<stack>, "all tensors of a list, along a new first dimension"},
      {"raw_ops.TensorListFromTensor", "tensor: tensor, element_shape: tensor of int32, name: str? = None",
       one_op<"TensorListFromTensor">, "the rows of a tensor as a list"},
      {"raw_ops.TensorListGather",
       "input_handle: tensor, indices: tensor of int32, element_shape: tensor of int32, element_dtype: "
       "dtype, name: "
       "str? = None",
       typed<"TensorListGather">, "some tensors of a list, along a new first dimension"},
      {"raw_ops.TensorListScatterV2",
       "tensor: tensor, indices: tensor of int32, element_shape: tensor of int32, num_elements: tensor of "
       "int32, "
       "name: str? = None",
       one_op<"TensorListScatterV2">, "a list with the rows of a tensor at some places"},
      {"raw_ops.TensorListScatterIntoExistingList",
       "input_handle: tensor, tensor: tensor, indices: tensor of int32, name: str? = None",
       one_op<"TensorListScatterIntoExistingList">, "the list with the rows of a tensor at some places"},
      {"raw_ops.TensorListSplit",
       "tensor: tensor, element_shape: tensor of int32, lengths: tensor of int64, name: str? = None",
       one_op<"TensorListSplit">, "parts of a tensor, cut along its first dimension, as a list"},
      {"raw_ops.TensorListConcatV2",
       "input_handle: tensor, element_shape: tensor of int32, leading_dims: tensor of int64, element_dtype: "
       "dtype, "
       "name: str? = None -> TensorListConcatV2(tensor, lengths)",
       typed<"TensorListConcatV2">,
       "the tensors of a list joined along their first dimension, and how long each is there"},
  };
}

}  // namespace footlight::composite
