// What all kinds of padding share: the check of the paddings, and the shape that they make.
#pragma once

#include "engine/ops/row.h"

namespace footlight {

void pad_shape(Inference&);  // of rows whose inputs are the tensor, then its paddings

}  // namespace footlight
