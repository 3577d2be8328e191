// Ops that hold graphs: where these are, and the gradients of such ops, which are built by engine/trace, a higher layer
// that installs them at start.
#pragma once

#include "engine/ops/row.h"

namespace footlight {

// The attributes that hold the graphs of an If (true, false) or a Case (by number).
AttrName branch_attr(size_t branch);  // "branches[000007]"
std::vector<AttrName> branches_of(const Attrs&);

}  // namespace footlight
