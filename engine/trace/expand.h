// A graph for a file that other programs read: ops of our own as calls of functions made of TensorFlow's ops.
#pragma once

#include "engine/graph/graph.h"

namespace footlight::trace {

// The graph itself if neither it nor what it calls has any. What cannot be expressed stays as it is.
GraphPtr expanded(const GraphPtr&);

}  // namespace footlight::trace
