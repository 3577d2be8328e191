// Functions through which engine/python/function steers the types. All are null where nobody has installed them.
#pragma once

#include "engine/tensor/tensor.h"

namespace footlight::python {

struct TypeHooks {
  // Called when a variable is made while a graph is being built, before it has a value. `initial` may be symbolic.
  // Throws kValue where no variable may be made; returns the value to assign now, or an empty tensor. See
  // note_variable() in engine/trace/function_scope.h. python/install_hooks.cpp installs it.
  Tensor (*variable_made)(const Tensor& handle, const Tensor& initial, bool lifted) = nullptr;
};
extern constinit TypeHooks type_hooks;

}  // namespace footlight::python
