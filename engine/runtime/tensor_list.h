// Registers the kernels of tensor lists, in which loops save values for their gradients, and of tensor maps.
#pragma once

#include "engine/ops/row.h"

namespace footlight::runtime {

class TensorList;

// Adds the kernels of all TensorList and TensorMap ops, and ZerosLike and AddN of variants. Calling it again does
// nothing.
void register_list_kernels();

// Shared by the kernels of lists.
int64_t scalar_int(const Tensor& value);  // of a scalar int32 or int64
// Reads the shape of elements from an input; the scalar -1 means that it is unknown.
Shape list_shape(const Tensor& value, const OpRow&);
// Throws if the shapes are not compatible.
Shape merge_list_shapes(const Shape&, const Shape&, const OpRow&);
void check_list_dtype(const TensorList&, DType wanted, const OpRow&);
Tensor zeros_tensor(DType, const Shape&);

// Add two ragged values, or return the zeros of one; an empty tensor if they are not ragged.
Tensor add_ragged(const Tensor&, const Tensor&);
Tensor zeros_like_ragged(const Tensor&);
// Add two maps of tensors, or return the zeros of one; an empty tensor if they are not maps.
Tensor add_maps(const Tensor&, const Tensor&);
Tensor zeros_like_map(const Tensor&);

// AddN and ZerosLike for tensors of any dtype, lists and maps included. In a sum, an empty tensor counts as zeros.
Tensor add_values(const Tensor&, const Tensor&);
Tensor zeros_like_value(const Tensor&);

}  // namespace footlight::runtime
