// Tensors and attributes in a line of text, for messages and recordings.
#pragma once

#include "engine/graph/graph.h"

namespace footlight {

// "float32 (32, 16)" for messages and recordings.
std::string describe(DType, const Shape&);
// The value of a small constant on one line; of a large one the beginning, and a hash that tells it from others.
std::string describe_value(const Tensor&, size_t limit = 120);
// "T=float32; keep_dims=false": an op's attributes on one line, the value of a constant left out.
std::string describe_attrs(const Node&);

}  // namespace footlight
