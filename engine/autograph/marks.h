// First pass over a function: what its statements contain, which of them stay in Python, and why.
#pragma once

#include "engine/autograph/convert.h"

namespace footlight::autograph {

// Bits of Node::flags.
enum NodeFlag : uint16_t {
  kHasYield = 1,        // yield, await, async for or with, in this function itself, not in a nested one
  kHasReturn = 2,
  kHasBreak = 4,        // a break of an enclosing loop
  kHasContinue = 8,
  kHasLocals = 16,      // calls locals(), eval(), exec(): sees the names of its own scope
  kHasWalrus = 32,
  kKept = 64,           // an if, while or for that stays in Python
  kOwnBreak = 128,      // a loop with a break of its own
  kOwnContinue = 256,
  kLoweredReturn = 512, // a Return that became an assignment to do_return and retval_
  kExtraTest = 1024,    // a For whose orelse holds one Expr: continue while it is true; a flag joined to a While's test
  kGuard = 2048,        // an If generated around the statements after a possible break, continue or return
  kBreaks = 4096,       // an assignment that a break became: in a loop that runs in Python a break follows it
  kContinues = 8192,    // replaces a continue: a loop that runs in Python has a continue in its place
  kAfterBreak = 16384,  // other replacements of a break, not needed in a loop that runs in Python
};

struct Marks {
  std::string reason;        // why the function cannot be converted at all
  bool generator = false;
  bool sees_scope = false;       // calls locals() or the like
  bool lowered_returns = false;  // returns become assignments
  bool return_in_finally = false;  // a return in a finally, which overrides an earlier return
};

Marks mark(Node* function, Style style, std::vector<Fate>& fates, uint64_t& steps);

// locals(), eval() and the like, which see the names of the scope they are called in.
bool sees_scope(const Node* call);
// The condition is a Python bool whatever its operands are: `x is None`, isinstance(...), not of such.
bool always_python(const Node* test);

inline bool is_control_flow(const Node* node) {
  return is(node, Kind::kIf) || is(node, Kind::kWhile) || is(node, Kind::kFor);
}
// An if, while or for that becomes a call of the runtime.
inline bool is_converted(const Node* node) { return is_control_flow(node) && !(node->flags & kKept); }

// A statement whose blocks, and those of its handlers and cases, went through block(list); itself if none changed.
// Nested functions and classes stay: they have a conversion of their own.
template <class Block>
Node* with_blocks(Tree& tree, Node* node, const Block& block) {
  if (is_function(node) || is(node, Kind::kClassDef)) return node;
  Node* made = nullptr;
  const KindInfo& described = info(node->kind);
  for (int i = 0; i < described.field_count; ++i) {
    if (described.fields[i].type != FieldType::kList || node->list(i).empty()) continue;
    const List& list = node->list(i);
    const List* lowered = &list;
    if (info(list[0]->kind).category == Category::kStatement) {
      lowered = block(list);
    } else if (is(list[0], Kind::kExceptHandler) || is(list[0], Kind::kmatch_case)) {
      std::vector<Node*> parts;
      bool changed = false;
      for (Node* part : list) {
        parts.push_back(with_blocks(tree, part, block));
        changed |= parts.back() != part;
      }
      if (changed) lowered = tree.list(parts);
    }
    if (lowered == &list) continue;
    if (!made) made = tree.copy(node);
    made->fields()[i].list = lowered;
  }
  return made ? made : node;
}

}  // namespace footlight::autograph
