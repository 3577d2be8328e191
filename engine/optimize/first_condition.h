// Whether a loop runs its body at all, as far as that is known.
#pragma once

#include "engine/optimize/unit.h"

#include <optional>

namespace footlight::optimize {

std::optional<bool> first_condition(const Rewrite& caller, NodeId loop, const Unit&);

}  // namespace footlight::optimize
