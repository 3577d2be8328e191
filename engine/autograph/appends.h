// Before the first pass: appending to a local list inside control flow becomes an assignment, so that the list is part
// of the state that a staged statement carries.
#pragma once

#include "engine/autograph/name_set.h"
#include "engine/autograph/tree.h"

namespace footlight::autograph {

// while c:                   while c:
//   out.append(x)      ->      out = ag__.append(out, x)
// `lists`: the names of such lists. The function itself, if nothing changed.
Node* lower_appends(Tree& tree, Node* function, NameSet& lists, uint64_t& steps);

}  // namespace footlight::autograph
