// The shape rules of random ops, whose shape is an input.
#pragma once

#include "engine/base/text.h"
#include "engine/ops/builder.h"
#include "engine/ops/infer.h"

namespace footlight::infer {

// Like shape_from(), but no dimension may be -1, because there is nothing from which to infer it.
inline Shape sizes_from(Inference& i, size_t input) {
  if (i.shape(input).has_rank() && i.shape(input).rank() != 1)
    invalid("shape must be a vector of {int32,int64}, got shape ", i.shape(input).brackets(), " [Op:", i.row.name, "]");
  const auto dims = constant_ints(i, input);
  if (!dims) return shape_from(i, input);
  Shape out;
  for (const int64_t size : *dims) {
    // While tracing, -1 is a size that is not known yet.
    if (size < (this_thread.builder ? kUnknownDim : 0))
      invalid("Dimension ", size, " must be >= 0 [Op:", i.row.name, "]");
    out.append(size < 0 ? kUnknownDim : size);
  }
  return out;
}

// Checks that two inputs are scalars and, as far as they are known, that the first is smaller.
inline void check_bounds(Inference& i, size_t low, size_t high) {
  check_rank(i, low, 0);
  check_rank(i, high, 0);
  const Tensor from = i.constant(low), to = i.constant(high);
  if (!from || !to) return;
  with_plain_type(from.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>)
      if (*from.data<T>() >= *to.data<T>())
        invalid("Need minval < maxval, got ", +*from.data<T>(), " >= ", +*to.data<T>(), " [Op:", i.row.name, "]");
  });
}

}  // namespace footlight::infer
