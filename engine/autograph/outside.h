// Finds what a function reads and changes outside of itself, and where the rest of a file reads or changes the same:
// which state a trace freezes, and which effects happen only while tracing.
#pragma once

#include "engine/autograph/tree.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace footlight::autograph {

// .name or ['key'] or [0].
struct PathStep {
  bool item = false;
  bool number = false;           // an item with an integer as its key
  std::string key;
  friend bool operator==(const PathStep&, const PathStep&) = default;
};

// A place outside: a name that is not local, or an attribute of one or of a parameter.
struct OutsidePath {
  std::string root;
  int parameter = -1;            // the root's index among the parameters
  std::vector<PathStep> steps;
  std::string text() const;      // "self.layers['a']"
  friend bool operator==(const OutsidePath&, const OutsidePath&) = default;
};

// An `if` on this line has to have taken its body, or not, for what is under it to run.
struct BranchTaken {
  int line = 0;
  bool body = false;
};

struct OutsideAccess {
  enum Kind : uint8_t {
    kRead,
    kCall,                       // the path is what is called
    kStore,
    kUpdate,                     // x += 1
    kMutation,                   // path.append(...), path[k] = ...
  };
  Kind kind = kRead;
  OutsidePath path;
  int line = 0;
  bool memo = false;             // a store under a test of the same place, as in caches
  bool conditional = false;      // in a branch, a loop or a try statement: it may be left out
  bool literal = false;          // a store of True, None, 0; or clear()
  std::vector<BranchTaken> under;
};

struct Outside {
  std::string name;
  int first_line = 0, last_line = 0;
  bool makes_once = false;       // build(), __init__(): whose stores are not of a step
  std::vector<OutsideAccess> accesses;  // in source order, without values that only a print or a log gets
};
// Takes a FunctionDef or Lambda; functions inside count as parts of it.
Outside outside_of(const Node* function);

// A name or attribute as the rest of a file uses it.
struct StateName {
  enum Kind : uint8_t { kGlobal, kClosure, kAttribute };
  Kind kind = kGlobal;
  std::string name;
  PathStep item;                 // key not empty: this item of it
};
struct StateUse {
  int line = 0;
  bool store = false;
  bool initial = false;          // in __init__, at the top of the module, or where the closure's variable is created
  bool literal = false;
  bool size = false;             // only len() of it is read
  bool of_traces = false;        // a print that speaks of traces gets it
  std::string of_class;          // self.NAME in a method of this class
};
// "n_traces", "Retraced": whether words announce something meant to happen only while tracing.
bool is_about_traces(std::string_view words);
struct LineRange { int first = 0, last = 0; };
// `body`: lines of the function that the closure belongs to; `without`: lines not to look at.
std::vector<StateUse> uses_of(const Node* module, const StateName& state, LineRange body,
                              const std::vector<LineRange>& without);

}  // namespace footlight::autograph
