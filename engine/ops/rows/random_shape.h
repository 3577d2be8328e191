// The shape of drawn numbers, which a shape input says.
#pragma once

#include "engine/base/text.h"
#include "engine/ops/infer.h"

namespace footlight::infer {

// As shape_from(), but every dimension must be a size: there is nothing to work one out from.
inline Shape sizes_from(Inference& i, size_t input) {
  if (i.shape(input).has_rank() && i.shape(input).rank() != 1)
    invalid("shape must be a vector of {int32,int64}, got shape ", i.shape(input).brackets(), " [Op:", i.row.name, "]");
  if (const auto dims = constant_ints(i, input))
    for (const int64_t size : *dims)
      if (size < 0) invalid("Dimension ", size, " must be >= 0 [Op:", i.row.name, "]");
  return shape_from(i, input);
}

}  // namespace footlight::infer
