// Rows of sets: the values in the last dimension of tensors, whole or sparse.
#include "engine/ops/define.h"

namespace footlight {

namespace {

void set_shape(Inference& i) {
  const std::string operation = i.attrs.get_or("set_operation"_attr, std::string());
  if (operation != "a-b" && operation != "b-a" && operation != "intersection" && operation != "union")
    invalid("Invalid set_operation ", operation, ". [Op:", i.row.name, "]");
  const Shape& first = i.inputs.size() == 6 ? i.shape(2) : i.shape(0);
  int64_t rank = kUnknownDim;
  if (first.has_rank()) rank = i.inputs.size() == 6 ? first[0] : first.rank();
  i.output_shapes[0] = Shape{kUnknownDim, rank};
  i.output_shapes[1] = Shape{kUnknownDim};
  i.output_shapes[2] = Shape{rank};
}

void size_shape(Inference& i) {
  i.output_shapes[0] = i.shape(2).has_rank() && i.shape(2).rank() == 1 && i.shape(2)[0] > 0
                           ? Shape::of_rank(static_cast<int>(i.shape(2)[0]) - 1)
                           : Shape::unknown_rank();
}

}  // namespace

FL_ROWS(sets) {
  const RowDef::Properties plain{.host_inputs = ~0u, .zero_gradient = true, .host_only = true};
  constexpr const char* kAttrs =
      "set_operation: string; validate_indices: bool = true; T: int8|int16|int32|int64|uint8|uint16|string";
  constexpr OpFamily kIo = OpFamily::kIo;
  return {
      {"DenseToDenseSetOperation", "set1: T, set2: T -> result_indices: int64, result_values: T, result_shape: int64",
       kAttrs, set_shape, nullptr, kIo, "sets of two tensors, joined", plain},
      {"DenseToSparseSetOperation",
       "set1: T, set2_indices: int64, set2_values: T, set2_shape: int64 -> result_indices: int64, result_values: T, "
       "result_shape: int64",
       kAttrs, set_shape, nullptr, kIo, "sets of a whole and of a sparse tensor, joined", plain},
      {"SparseToSparseSetOperation",
       "set1_indices: int64, set1_values: T, set1_shape: int64, set2_indices: int64, set2_values: T, set2_shape: "
       "int64 -> "
       "result_indices: int64, result_values: T, result_shape: int64",
       kAttrs, set_shape, nullptr, kIo, "sets of two sparse tensors, joined", plain},
      {"SetSize", "set_indices: int64, set_values: T, set_shape: int64 -> size: int32",
       "validate_indices: bool = true; T: int8|int16|int32|int64|uint8|uint16|string", size_shape, nullptr, kIo,
       "how many values sets have", plain},
  };
}

}  // namespace footlight
