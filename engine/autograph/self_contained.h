// Finds functions that handle only Python's own values if their arguments are Python's own: they need no conversion.
#pragma once

#include "engine/autograph/tree.h"

#include <string>
#include <vector>

namespace footlight::autograph {

struct SelfContained {
  bool yes = false;
  bool raises = false;               // it has raise or assert, which a staged block must know
  std::vector<std::string> globals;  // names that it reads from outside, which must be harmless too
  std::vector<std::string> builtins;  // those among them that must be Python's own
  std::vector<std::string> attributes;  // the names of all that it reaches of such values
};

// Takes a FunctionDef or Lambda. It reads no attribute that leads out of Python's own values (frames, special
// attributes of classes and modules) and changes no global. What it calls is among `globals`, or is an attribute of
// such a value. None of its code runs later: generators are consumed at once, inner functions are only called.
SelfContained self_contained(const Node* function);

// Takes a For or While as written, without its else; `globals` are all names that it uses.
SelfContained self_contained_loop(const Node* loop);

}  // namespace footlight::autograph
