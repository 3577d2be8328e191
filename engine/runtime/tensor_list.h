// Kernels of lists of tensors: a loop saves values for its gradient in them, a TensorArray of a graph is one.
#pragma once

#include "engine/ops/row.h"

namespace footlight::runtime {

class TensorList;

// Adds the kernels of all TensorList and TensorMap ops, and ZerosLike and AddN of variants. Calling it again does
// nothing.
void register_list_kernels();

// Shared by the kernels of lists.
int64_t list_integer(const Tensor& value);                    // reads a scalar int32 or int64
Shape list_shape(const Tensor& value, const OpRow&);          // an element's shape, given as an input; -1: unknown
Shape list_merged(const Shape&, const Shape&, const OpRow&);  // throws if they are not compatible
void check_list_dtype(const TensorList&, DType wanted, const OpRow&);
Tensor list_zeros(DType, const Shape&);

// The sum of ragged values; an empty tensor if they are not ragged.
Tensor sum_of_ragged(const Tensor&, const Tensor&);
Tensor zeros_of_ragged(const Tensor&);
// The same for maps of tensors.
Tensor sum_of_maps(const Tensor&, const Tensor&);
Tensor zeros_of_map(const Tensor&);

// AddN and ZerosLike for tensors of any dtype. In the sum, a missing tensor counts as zeros.
Tensor sum_of_values(const Tensor&, const Tensor&);
Tensor zeros_of_value(const Tensor&);

}  // namespace footlight::runtime
