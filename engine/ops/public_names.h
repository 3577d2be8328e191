// The table of public names: what a user types (`tf.reduce_sum`, `tf.math.reduce_sum`), its parameters and defaults,
// and the composite behind it. Written once, in engine/ops/composite/*.cpp, next to the function.
#pragma once

#include "engine/ops/builder.h"

#include <map>
#include <memory>
#include <optional>

namespace footlight {

// An argument as it arrives from a language: Python objects become one of these by the parameter's declared type.
struct Arg;
using ArgList = std::vector<Arg>;
struct Arg {
  // Tensors are converted already (with the dtype hints of the signature); a list of tensors is an ArgList.
  std::variant<std::monostate, bool, int64_t, double, std::string, DType, Shape, Tensor, ArgList> value;
  bool none() const { return value.index() == 0; }
};

// Parameters: "x: tensor, y: tensor = x.dtype, axis: ints? = None, keepdims: bool = False, name: str? = None".
struct PublicFunction {
  std::vector<std::string_view> names;   // "math.reduce_sum", "reduce_sum"
  std::string_view parameters;
  Arg (*call)(std::span<const Arg> args, std::string_view name);
  std::string_view doc;
};

std::span<const PublicFunction> public_functions();

}  // namespace footlight
