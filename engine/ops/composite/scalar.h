// Integers that public functions read from tensors of known value.
#pragma once

#include "engine/base/text.h"
#include "engine/ops/infer.h"

namespace footlight::composite {

// The one integer that a tensor holds; anything but one is refused by its name.
inline int64_t one_integer(const Tensor& t, std::string_view what) {
  if (t.elements() != 1) invalid(what, " must be a scalar, its shape is ", t.shape().to_string());
  return infer::ints_of(t)[0];
}

}  // namespace footlight::composite
