// Tells which input values a row's shape function reads. If these and the shapes are known while tracing, a call has
// nothing to infer. tests/ops checks that shape functions read no others.
#pragma once

#include "engine/ops/row.h"

namespace footlight {

// Whether the output shape may depend on the value of this input. True for host inputs and, in a row that takes lists
// of any length, for all integers.
inline bool shape_depends_on_value(const OpRow& row, size_t input, DType dtype) {
  if (row.inputs.size() == 1) return row.is_host_input(0);
  for (const ArgSpec& spec : row.inputs)
    if (spec.list) return is_integer(dtype);
  return row.is_host_input(input);
}

// Whether a shape that is known without these values holds for all of them, because the kernel refuses wrong values.
inline bool kernel_checks_values(const OpRow& row) {
  static const OpId strided_slice = Op("StridedSlice").id();
  return row.id == strided_slice;
}

}  // namespace footlight
