// The equation of an einsum, "ab...,bc->a...c": which dimensions of its operands and the result are the same.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace footlight {

// An operand or result: a letter for each dimension; '.' stands for an ellipsis.
struct Equation {
  std::vector<std::string> inputs;
  std::string output;
};

// Throws kInvalidArgument if it is malformed, or has no "->".
Equation parse_equation(std::string_view);
std::string to_string(const Equation&);

}  // namespace footlight
