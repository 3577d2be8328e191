// The input values that a row's shape function reads. If these and the shapes are known while tracing, a call infers
// nothing. tests/ops checks the shape functions against it.
#pragma once

#include "engine/ops/row.h"

namespace footlight {

// True for host inputs. In a row that takes lists, whose lengths vary, it is true for all integers.
inline bool shape_depends_on_value(const OpRow& row, size_t input, DType dtype) {
  if (row.inputs.size() == 1) return row.is_host_input(0);
  for (const ArgSpec& spec : row.inputs)
    if (spec.list) return is_integer(dtype);
  return row.is_host_input(input);
}

// A shape that is known without these values is right with any, and the kernel refuses those that are wrong.
inline bool kernel_checks_values(const OpRow& row) {
  static const OpId strided_slice = Op("StridedSlice").id();
  return row.id == strided_slice;
}

}  // namespace footlight
