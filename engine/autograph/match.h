// Before the first pass: a match that compares values, or has guards, becomes a chain of ifs, so that a tensor may
// decide.
#pragma once

#include "engine/autograph/convert.h"

namespace footlight::autograph {

// match x:                     subject_ = x
//   case 0 | 1: a()       ->   if subject_ == 0 or subject_ == 1: a()
//   case [v, 2] if v > p: b()  else:
//                                case_ = False
//                                match subject_:
//                                  case [v, value_]: case_ = True
//                                if case_ and value_ == 2 and v > p: b()
// What only Python can decide (sequences, mappings, classes) stays a match of its own; values inside it are compared
// after it. A match without values and guards stays as it is. The function itself, if nothing changed.
Node* lower_matches(Tree& tree, Node* function, std::vector<Fate>& fates, uint64_t& steps);

}  // namespace footlight::autograph
