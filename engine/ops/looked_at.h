// Which input values the rules of a row read: where these and the shapes are known ahead, a traced call infers nothing.
// tests/ops checks the rules against it.
#pragma once

#include "engine/ops/row.h"

namespace footlight {

// Host inputs; where a row takes lists, whose lengths vary, and something else, any integers.
inline bool looked_at(const OpRow& row, size_t input, DType dtype) {
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
