// Laws that the values of ops follow, bit by bit for every input: NaN, infinities, the sign of zero and wrapping
// included. What is only almost true is not here.
#pragma once

#include "engine/ops/row.h"

#include <optional>

namespace footlight {

// Numbers c for which f(x, c) is x, and f(c, x) is x.
struct Neutral {
  std::optional<double> right = {}, left = {};
};

struct Algebra {
  Neutral integer = {};              // for integers and bools (0 and 1)
  Neutral floating = {};             // for floating-point numbers, where -0 differs from 0
  std::optional<double> absorbing = {};  // for integers and bools: f(x, c) and f(c, x) are c
  bool undoes_itself = false;        // f(f(x)) is x
  bool settles = false;              // f(f(x)) is f(x)
  bool same_is_input = false;        // f(x, x) is x
  bool same_is_zero = false;         // f(x, x) is 0, of integers
  bool integers_fail = false;        // some integers are refused
  bool never_fails = false;          // fails only for dtypes, shapes and inputs of shape_depends_on_value()
};

const Algebra& algebra_of(const OpRow&);

// Whether the op runs for all values of its inputs, if their shapes and the inputs that its shape rule reads fit.
bool takes_all_values(const OpRow&, DType dtype);

}  // namespace footlight
