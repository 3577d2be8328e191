// Tensors and attributes as one line of text, for messages and recordings.
#pragma once

#include "engine/graph/graph.h"

namespace footlight {

// "float32 (32, 16)" for messages and recordings.
std::string describe(DType, const Shape&);
// The value of a small constant on one line; for a large one, its beginning and a hash.
std::string describe_value(const Tensor&, size_t limit = 120);
// "T=float32; keep_dims=false": an op's attributes on one line, without a constant's value.
std::string describe_attrs(const Node&);

}  // namespace footlight
