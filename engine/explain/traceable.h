// What keeps a function that runs eagerly from doing the same in a graph, as its source tells: Python state that it
// changes or that others change, numbers taken out of tensors, prints, draws of other generators, clocks.
#pragma once

#include "engine/explain/outlines.h"

#include <string>
#include <vector>

namespace footlight::explain {

// What has to be changed before the function can be traced, in words that follow "First": "move .numpy() on line 17 to
// the caller". `def`: the line of its def. The program's functions that it calls, in the same file, count as parts of
// it. Empty: nothing.
std::vector<std::string> before_tracing(const Evidence& evidence, Outlines& outlines, const Line& def, bool jax);

}  // namespace footlight::explain
