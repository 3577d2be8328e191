// Second pass: break, continue, return and loop else become flags and guards, so that only if, while and for remain.
#pragma once

#include "engine/autograph/marks.h"
#include "engine/autograph/name_set.h"

namespace footlight::autograph {

// while c:                     break_ = False
//   if p: break        ->      while not break_ and c:
//   f()                          continue_ = False
//                                if p: break_ = True; continue_ = True
//                                if not continue_: f()
// if p: return 1               if p: do_return = True; retval_ = 1
// return 2             ->      else: do_return = True; retval_ = 2
// Returns stay Return nodes flagged kLoweredReturn; a for's continuation condition is its orelse, flagged kExtraTest.
struct Lowered {
  const List* body = nullptr;
  Name* do_return = nullptr;  // null: returns were not lowered
  Name* retval = nullptr;
  NameSet break_flags;
  bool too_deep = false;  // there is no body
  NameSet late;  // bound in the else of a loop and before each of its breaks: no other way out needs them
};

// `reuse`: loops side by side have the same flags. Python's compiler takes time for functions times names.
Lowered lower(Tree& tree, const Node* function, const Marks& marks, uint64_t& steps, bool reuse = false,
              int deepest = 1000);

}  // namespace footlight::autograph
