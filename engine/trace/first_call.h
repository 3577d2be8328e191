// The first call of a function whose graph alone can compute the initial values of the variables that it creates.
#pragma once

#include "engine/trace/concrete.h"

#include <span>

namespace footlight::trace {

// Builds the graph "if all `variables` have values: later(...), else: creating(...)", with the same parameters.
// `creating` was traced while the variables were created and initializes them; `later` was traced afterwards.
void build_first_call(GraphBuilder& builder, Concrete& creating, Concrete& later, std::span<const Tensor> variables);

}  // namespace footlight::trace
