// Shared by all kinds of padding: the check of the paddings, and the resulting shape.
#pragma once

#include "engine/ops/row.h"

namespace footlight {

void pad_shape(Inference&);  // for rows whose inputs are the tensor and its paddings

}  // namespace footlight
