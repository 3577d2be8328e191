// Queries of passes about values and shapes, and ways to add nodes.
#pragma once

#include "engine/optimize/unit.h"

#include <optional>
#include <string>

namespace footlight::optimize {

// The shape of a value, if it is certain in every dimension.
const Shape* certain_shape(const Rewrite&, const Unit&, Edge);
// Whether all that the op's shape rule reads is constant, so that nothing of it is left to check when it runs.
bool knows_operands(const Rewrite&, const Node&);
// The numbers in a constant of axes, dimensions, ...
std::optional<std::vector<int64_t>> constant_ints(const Rewrite&, Edge);

// The one number that all elements of a tensor are. Integers and bools: `whole` is exact. -0 and 0 are different.
struct Number {
  double real = 0;
  int64_t whole = 0;
  bool integer = false;
};
std::optional<Number> only_number(const Tensor&);
// A tensor of a plain real dtype with all elements that number.
Tensor filled(DType, const Shape&, Number);
Tensor ints(DType, std::span<const int64_t>);

// A node like another: the same line, device and result, by another op on other inputs, with the attributes that both
// ops have. Inserted before it, it does its work.
NodeId insert_instead(Rewrite&, NodeId id, const OpRow& op, std::vector<Edge> inputs, const char* suffix);

}  // namespace footlight::optimize
