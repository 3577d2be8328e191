// Functions through which engine/trace steers this layer. All are null where nobody has installed them.
#pragma once

#include "engine/eager/tape.h"

#include <memory>
#include <span>

namespace footlight::eager {

struct Hooks {
  // Called for a custom gradient while a graph is being built, which remembers it for gradients through calls of the
  // function. engine/trace installs it (trace::init).
  void (*custom_gradient_in_graph)(std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                                   const std::shared_ptr<Backward>&) = nullptr;
};
extern constinit Hooks hooks;

}  // namespace footlight::eager
