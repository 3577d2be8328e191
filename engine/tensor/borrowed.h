// Memory that somebody else owns (Tensor::borrow): it may be read as long as the tensor lives, and never written.
#pragma once

#include "engine/tensor/tensor.h"

namespace footlight {

bool is_borrowed(const Tensor&);  // not symbolic

}  // namespace footlight
