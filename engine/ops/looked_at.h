// Which input values the rules of a row read: where these and the shapes are known ahead, a traced call infers nothing.
// tests/ops checks the rules against it.
#pragma once

#include "engine/ops/row.h"

namespace footlight {

// Host inputs; where a row takes lists, whose lengths vary, any integers.
inline bool looked_at(const OpRow& row, size_t input, DType dtype) {
  for (const ArgSpec& spec : row.inputs)
    if (spec.list) return is_integer(dtype);
  return row.is_host_input(input);
}

}  // namespace footlight
