// The equation of an einsum, "ab...,bc->a...c": which dimensions of its operands and of the result are one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace footlight {

// One letter for each dimension; '.' stands for an ellipsis.
struct Equation {
  std::vector<std::string> inputs;
  std::string output;
};

// Throws kInvalidArgument when it is not well formed, or has no "->".
Equation parse_equation(std::string_view);
std::string to_string(const Equation&);

}  // namespace footlight
