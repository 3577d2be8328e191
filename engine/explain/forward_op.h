// Names the op whose gradient a node is: for 1 / x at the line of tape.gradient(), the Log that read x.
#pragma once

#include "engine/explain/evidence.h"

namespace footlight::explain {

// Null: the node is no part of a gradient, or it could be that of several ops.
const session::NodeRecord* forward_op(const Evidence& evidence, GraphId graph, const session::NodeRecord& node);

}  // namespace footlight::explain
