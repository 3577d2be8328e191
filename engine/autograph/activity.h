// Computes what the statements of a function read, write and bind, and which names are live before and after each if,
// while and for. Each pass visits every statement once.
#pragma once

#include "engine/autograph/marks.h"
#include "engine/autograph/name_set.h"

namespace footlight::autograph {

// An if, while or for.
struct Flow {
  NameSet bound;       // bound by its blocks, target and test, at the level of this function
  NameSet live_in, live_out, defined_in;
  NameSet kept_before;  // read by earlier lambdas and generators, which may be called in it or later
};

struct Activity {
  NameSet parameters, globals, nonlocals;  // as declared
  NameSet bound;       // read by nested functions: their values may be needed at any time
  NameSet captured;    // read by functions that statements define: their values count at any time
  NameSet in_patterns; // bound where a pattern fits
  NameSet composites;  // names of the form a.b or a[0]

  const Flow& flow(const Node* statement) const { return flows[index[statement->number]]; }

  std::vector<uint32_t> index;  // indexed by node number
  std::vector<Flow> flows;
};

// `at_end`: names read after the last statement. `function` is a FunctionDef, `body` its lowered statements.
Activity analyse(Tree& tree, const Node* function, const List& body, const std::vector<Name*>& at_end, uint64_t& steps,
                 const Name* do_return = nullptr, const Name* retval = nullptr);

// Names that a function uses but does not bind, and perhaps some variables that only its expressions have.
NameSet free_names(Tree& tree, const Node* function, uint64_t& steps);

// Names bound by this very statement, not by statements in its blocks.
void names_bound_here(Tree& tree, const Node* statement, NameSet& bound);

// "a.b", "a[0]", "a['k']", "a[i].b" for an expression that starts at a plain name; null for anything else.
Name* composite_name(Tree& tree, const Node* node);
// The plain names in a composite: the base and the names used as indices.
void composite_support(Tree& tree, const Name* composite, std::vector<Name*>& names);

}  // namespace footlight::autograph
