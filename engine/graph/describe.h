// Tensors and attributes as one line of text, for messages and recordings.
#pragma once

#include "engine/graph/graph.h"

namespace footlight {

// "float32 (32, 16)" for messages and recordings.
std::string describe(DType, const Shape&);
// The value of a small constant on one line; of a large one the beginning and a hash to distinguish it.
std::string describe_value(const Tensor&, size_t limit = 120);
// "T=float32; keep_dims=false": an op's attributes on one line, without the value of a constant.
std::string describe_attrs(const Node&);

}  // namespace footlight
