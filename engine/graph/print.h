// The text printer: one line per node, for golden tests, messages and debugging.
#pragma once

#include "engine/graph/graph.h"

namespace footlight {

// name = Op(inputs) {attributes} -> dtype shape
std::string to_text(const Graph&);

}  // namespace footlight
