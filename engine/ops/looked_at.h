// Which values the rules of a row look at: where these and the shapes are known before, a traced call infers nothing.
// tests/ops holds the rules to it.
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
