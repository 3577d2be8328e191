// Rows of maps from tensors to tensors. The gradient of a map is a map of gradients.
#include "engine/ops/define.h"
#include "engine/ops/functions.h"

namespace footlight {
namespace {

void unknown_shape(Inference& i) { i.output_shapes[0] = Shape::unknown_rank(); }

bool has_gradient(DType dtype) { return is_floating(dtype) || is_complex(dtype) || dtype == DType::kVariant; }

// The map of one entry.
Tensor single(const Tensor& key, const Tensor& value) {
  return apply("TensorMapInsert"_op, {apply("EmptyTensorMap"_op, {}), key, value},
               {{"key_dtype"_attr, key.dtype()}, {"value_dtype"_attr, value.dtype()}});
}

void lookup_gradient(GradientCall& c) {
  if (has_gradient(c.outputs[0].dtype())) c.input_gradients[0] = single(c.inputs[1], c.output_gradients[0]);
}

// The incoming map has no entry for the key if nobody looked it up, so zeros are added for it first.
void insert_gradient(GradientCall& c) {
  const Tensor &key = c.inputs[1], &value = c.inputs[2];
  if (!has_gradient(value.dtype())) {
    c.input_gradients[0] = c.output_gradients[0];
    return;
  }
  const Tensor all = apply("AddN"_op, {c.output_gradients[0], single(key, ops::zeros_like(value))});
  c.input_gradients[0] =
      apply("TensorMapErase"_op, {all, key}, {{"key_dtype"_attr, key.dtype()}, {"value_dtype"_attr, value.dtype()}});
  c.input_gradients[2] =
      apply("TensorMapLookup"_op, {all, key}, {{"key_dtype"_attr, key.dtype()}, {"value_dtype"_attr, value.dtype()}});
}

void erase_gradient(GradientCall& c) { c.input_gradients[0] = c.output_gradients[0]; }

}  // namespace

FL_ROWS(tensor_map) {
  constexpr const char* kKey = "key_dtype: any";
  constexpr const char* kBoth = "key_dtype: any; value_dtype: any";
  constexpr OpFamily kFamily = OpFamily::kControl;
  return {
      {"EmptyTensorMap", "-> handle: variant", "", infer::scalar, nullptr, kFamily, "a map of no entries",
       {.zero_gradient = true}},
      {"TensorMapSize", "input_handle: variant -> size: int32", "", infer::scalar, nullptr, kFamily,
       "the number of entries", {.zero_gradient = true}},
      {"TensorMapLookup", "input_handle: variant, key: key_dtype -> value: value_dtype", kBoth, unknown_shape,
       lookup_gradient, kFamily, "the value for a key"},
      {"TensorMapInsert", "input_handle: variant, key: key_dtype, value: value_dtype -> output_handle: variant", kBoth,
       infer::scalar, insert_gradient, kFamily, "the map with this value for a key"},
      {"TensorMapErase", "input_handle: variant, key: key_dtype -> output_handle: variant", kBoth, infer::scalar,
       erase_gradient, kFamily, "the map without a key"},
      {"TensorMapHasKey", "input_handle: variant, key: key_dtype -> has_key: bool", kKey, infer::scalar, nullptr,
       kFamily, "whether the map has a key", {.zero_gradient = true}},
      {"TensorMapStackKeys", "input_handle: variant -> keys: key_dtype", kKey, unknown_shape, nullptr, kFamily,
       "all keys, along a new first dimension", {.zero_gradient = true}},
  };
}

}  // namespace footlight
