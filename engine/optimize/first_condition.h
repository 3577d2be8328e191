// Evaluates the condition of a loop for its first iteration.
#pragma once

#include "engine/optimize/program_rewrite.h"

#include <optional>

namespace footlight::optimize {

// Whether the loop runs its body at all; empty if that is not known before it runs.
std::optional<bool> first_condition(const Rewrite& caller, NodeId loop, const ProgramRewrite&);

}  // namespace footlight::optimize
