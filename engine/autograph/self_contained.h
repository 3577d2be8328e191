// Functions that meet nothing but Python's own values if their arguments are such: what a conversion would do to them
// is not needed then.
#pragma once

#include "engine/autograph/tree.h"

#include <string>
#include <vector>

namespace footlight::autograph {

struct SelfContained {
  bool yes = false;
  bool raises = false;               // by raise or assert, which a staged block has to know of
  std::vector<std::string> globals;  // what it reads from outside, which has to be harmless too
  std::vector<std::string> builtins;  // of these: what has to be Python's own
  std::vector<std::string> attributes;  // the names of all that it reaches of such values
};

// Of a FunctionDef or Lambda. It reaches no attribute that leads out of Python's own values (frames, what is special
// of classes, modules) and changes no global. What it calls is among `globals`, or is an attribute of such a value.
// Nothing that it makes runs code of its later: generators are used up where they stand, functions that are made inside
// are only called.
SelfContained self_contained(const Node* function);

// Of a For or While as it was written, without its else; `globals` are all names that it uses.
SelfContained self_contained_loop(const Node* loop);

}  // namespace footlight::autograph
