// Finds what gives a name its value where it is read: reaching definitions in a whole source file, which need not be
// convertible. A name may be `x`, `self.rate` or `batch['x']`.
#pragma once

#include "engine/autograph/tree.h"

#include <vector>

namespace footlight::autograph {

struct Definition {
  enum class Kind : uint8_t {
    kValue,      // an assignment, a default, `with`: `value` is what is assigned, if it is an expression
    kLoop,       // the target of a loop or comprehension: `value` is what it loops over
    kParameter,  // a parameter of `function`; `value` is its default
    kOther,      // import, def, except, a method that changes the object
  };
  Kind kind = Kind::kOther;
  Position at;
  const Node* value = nullptr;
  std::vector<uint32_t> element;  // the item of the value if the target is a tuple: {1}, {0, 2}
  const Node* function = nullptr;
  const Name* name = nullptr;
};

class Definitions {
 public:
  // The names in `tree` are interned further; a read tree has each node once.
  Definitions(Tree& tree, const Node* module);

  // The call that ends there, or null: no two calls share their last bracket.
  const Node* call_ending_at(uint32_t line, uint32_t column) const;
  // The def or lambda whose code begins on that line (with its decorators), or null.
  const Node* function_at(uint32_t line, std::string_view name) const;
  // The innermost def or lambda around it, or null: the module or a class.
  const Node* function_around(const Node* node) const;

  // Definitions of a Name, Attribute or Subscript that is read: those that change most often first, then the nearest.
  std::vector<Definition> of(const Node* read) const;
  // The name at the start of an Attribute or Subscript, or null.
  static const Node* base_of(const Node* read);

  // The values that a function returns, or yields if it is a generator.
  static std::vector<const Node*> results_of(const Node* function);

 private:
  Tree& tree_;
  const Node* module_;
  std::vector<const Node*> parents_;  // indexed by node number
  std::vector<const Node*> calls_, functions_;
};

}  // namespace footlight::autograph
