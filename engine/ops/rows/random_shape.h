// The shape of drawn numbers, given by a shape input.
#pragma once

#include "engine/base/text.h"
#include "engine/ops/builder.h"
#include "engine/ops/infer.h"

namespace footlight::infer {

// Like shape_from(), but every dimension must be a size: there is nothing to infer it from.
inline Shape sizes_from(Inference& i, size_t input) {
  if (i.shape(input).has_rank() && i.shape(input).rank() != 1)
    invalid("shape must be a vector of {int32,int64}, got shape ", i.shape(input).brackets(), " [Op:", i.row.name, "]");
  const auto dims = constant_ints(i, input);
  if (!dims) return shape_from(i, input);
  Shape out;
  for (const int64_t size : *dims) {
    // In a trace -1 is a size that is not known yet; the op may also never run.
    if (size < (this_thread.builder ? kUnknownDim : 0))
      invalid("Dimension ", size, " must be >= 0 [Op:", i.row.name, "]");
    out.append(size < 0 ? kUnknownDim : size);
  }
  return out;
}

// Two scalars, the first of them smaller: checked as far as they are known.
inline void check_bounds(Inference& i, size_t low, size_t high) {
  want_rank(i, low, 0);
  want_rank(i, high, 0);
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
