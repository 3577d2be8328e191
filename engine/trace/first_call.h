// The first call of a function that creates variables whose initial values only its graph can compute.
#pragma once

#include "engine/trace/concrete.h"

#include <span>

namespace footlight::trace {

// Builds the graph "if all `variables` have values: later(...), else: creating(...)", with the same parameters.
// `creating` was traced while they were created and gives them their values, `later` was traced afterwards.
void build_first_call(GraphBuilder& builder, Concrete& creating, Concrete& later, std::span<const Tensor> variables);

}  // namespace footlight::trace
