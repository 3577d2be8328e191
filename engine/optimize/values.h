// What passes ask about values and shapes, and how they add nodes.
#pragma once

#include "engine/optimize/program_rewrite.h"

#include <optional>
#include <string>

namespace footlight::optimize {

// The shape of a value; null if a dimension is unknown or may turn out to be different at run time.
const Shape* certain_shape(const Rewrite&, const ProgramRewrite&, Edge);
// Whether all inputs whose values the op's shape rule reads are constant, so that no check is left for run time.
bool shape_operands_are_constant(const Rewrite&, const Node&);
// The elements of a constant of integers, such as axes or dimensions.
std::optional<std::vector<int64_t>> constant_ints(const Rewrite&, Edge);

// A number of any dtype. For integers and bools, `as_integer` is exact.
struct Number {
  double real = 0;
  int64_t as_integer = 0;
  bool is_integer = false;
};
// The number that all elements of a tensor are, if they are the same; -0 and 0 are different.
std::optional<Number> uniform_value(const Tensor&);
// A tensor of a plain real dtype all of whose elements are this number.
Tensor filled(DType, const Shape&, Number);
// A vector of int32 or int64.
Tensor int_tensor(DType, std::span<const int64_t>);
// Whether two tensors are of one type and surely have the same elements. Large ones are equal only if they share
// memory.
bool equal_constants(const Tensor&, const Tensor&);

// Inserts a node that does the work of `id`: same line, device and result type, but another op with other inputs. It
// gets the attributes that both ops have.
NodeId insert_replacement(Rewrite&, NodeId id, const OpRow& op, std::vector<Edge> inputs, const char* suffix);

}  // namespace footlight::optimize
