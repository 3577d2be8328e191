// Where ops that hold graphs keep them. (Their gradients are built by engine/trace: ops/hooks.h.)
#pragma once

#include "engine/ops/row.h"

namespace footlight {

// The attributes that hold the graphs of an If (true, false) or a Case (by number).
AttrName branch_attr(size_t branch);  // "branches[000007]"
std::vector<AttrName> branches_of(const Attrs&);

}  // namespace footlight
