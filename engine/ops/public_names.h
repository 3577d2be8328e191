// The table of public names: what a user types (`tf.reduce_sum`, `tf.math.reduce_sum`), its parameters and defaults,
// and the function behind it. Written once, in engine/ops/composite/*.cpp, next to the function.
#pragma once

#include "engine/ops/builder.h"

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace footlight {

// An argument from the host language: Python objects become one of these by the parameter's declared type.
struct Arg;
using ArgList = std::vector<Arg>;
struct Arg {
  // Tensors are already converted (with the dtype hints of the signature); a list of tensors is an ArgList.
  std::variant<std::monostate, bool, int64_t, double, std::string, DType, Shape, Tensor, ArgList> value;
  bool none() const { return value.index() == 0; }
};

// Parameters, as text: "name: type" or "name: type = default", separated by commas; `name: str? = None` is
// passed separately. Types: tensor, tensors (a list), tensor* (a list, or one tensor that is unstacked), int, ints
// (one or a list), bool, float, str, dtype, shape (dims or a tensor), any (unconverted); with `?` None is also
// accepted. A tensor may say which dtype a Python value takes: "y: tensor like x" (unchanged where it does not fit,
// "y: tensor as x" refuses it; "follows" and "after" are the same in one direction: x is converted on its own),
// "x: tensor of float32", or the one that another argument names: "x: tensor after dtype". A list that is
// "tensors or None" may contain None.
// Defaults: None, True, False, numbers, 'text', a dtype's name.
struct PublicFunction {
  std::vector<std::string_view> names;   // "math.reduce_sum", "reduce_sum"; messages use the first
  std::string_view parameters;
  // `args` in the order of the parameters, without `name`, which is empty when none was given.
  Arg (*call)(std::span<const Arg> args, std::string_view name);
  std::string_view doc;
};

std::span<const PublicFunction> public_functions();

}  // namespace footlight
