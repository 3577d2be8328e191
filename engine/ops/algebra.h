// Algebraic laws that ops follow bit by bit for every input, including NaN, infinities, the sign of zero and wrapping
// integers.
#pragma once

#include "engine/ops/row.h"

#include <optional>

namespace footlight {

// The number c for which f(x, c) is x, and the one for which f(c, x) is x.
struct NeutralElements {
  std::optional<double> right = {}, left = {};
};

struct Algebra {
  NeutralElements integer = {};            // for integers and bools (0 and 1)
  NeutralElements floating = {};           // for floating-point numbers, where -0 differs from 0
  std::optional<double> absorbing = {};    // for integers and bools: f(x, c) and f(c, x) are c
  bool is_involution = false;              // f(f(x)) is x
  bool is_idempotent = false;              // f(f(x)) is f(x)
  bool equal_inputs_give_input = false;    // f(x, x) is x
  bool equal_inputs_give_zero = false;     // for integers, f(x, x) is 0
  bool rejects_some_integers = false;      // it raises for some integers, such as a divisor of 0
  bool never_fails = false;                // once dtypes, shapes and inputs of shape_depends_on_value() fit
};

const Algebra& algebra_of(const OpRow&);

// Whether the op runs without an error for all values of its inputs, if their shapes fit, and those inputs whose values
// the shape rule reads.
bool accepts_all_values(const OpRow&, DType dtype);

}  // namespace footlight
