// The attributes in which branches keep their graphs. (engine/trace builds their gradients: ops/hooks.h.)
#pragma once

#include "engine/ops/row.h"

namespace footlight {

// The attribute of a Case that holds the graph of this branch: "branches[000007]".
AttrName branch_attr(size_t branch);
// The attributes that hold the graphs of an If (then, else) or a Case (by number).
std::vector<AttrName> branches_of(const Attrs&);

}  // namespace footlight
