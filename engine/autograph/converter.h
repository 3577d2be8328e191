// The converter's state, private to its files. One Converter per function, lambdas included; nested functions get their
// own converters.
#pragma once

#include "engine/autograph/activity.h"
#include "engine/autograph/lower.h"
#include "engine/autograph/plain_values.h"

#include <functional>
#include <memory>
#include <unordered_map>
#include <unordered_set>

namespace footlight::autograph {

// The position of a node as one number, which copies of the node keep.
inline uint64_t place_of(const Node* node) { return uint64_t{node->at.line} << 32 | node->at.column; }

class Converter {
 public:
  Converter(Tree& tree, const Options& options, Conversion& result, const Converter* outer)
      : tree_(tree), options_(options), result_(result), outer_(outer) {}

  // `function` with its body converted; null and a reason in the result if it cannot be converted.
  Node* function(Node* function);
  Node* lambda(Node* lambda);

 private:
  // One future code object: the function itself or a block moved into a function of its own.
  struct Scope {
    NameSet bound;   // names that statements directly in it bind
    NameSet outer;   // names that it declares nonlocal or global
    NameSet wanted;  // declared nonlocal by nested blocks
    bool moved = false;
  };
  using Nodes = std::vector<Node*>;

  bool lean() const { return options_.style == Style::kLean; }

  // convert.cpp: statements
  void block(const List& list, Scope& scope, Nodes& out);
  void statement(Node* node, Scope& scope, Nodes& out);
  void return_at_end(const List& finalbody, Nodes& out);
  Node* result(Position at);
  void compound(Node* node, Scope& scope, Nodes& out);
  Node* definition(Node* node);
  Node* outside_of_body(Node* function);
  Node* conversion_options(Position at);
  void lowered_return(Node* node, Nodes& out);
  void annotated(Node* node, Scope& scope, Nodes& out);
  void deletion(Node* node, Nodes& out);
  Node* unpacked(Node* node);
  Node* assertion(Node* node);
  Node* raising(Node* node);
  Node* try_depth(Position at);
  void declare_missing(Scope& scope, Nodes& out, size_t at_front, Position at);
  Node* declaration(Kind kind, const std::vector<Name*>& names, Position at);

  // control_flow.cpp: if, while, for
  struct State {
    std::vector<Name*> names;   // outputs first
    uint32_t outputs = 0;
    std::vector<Name*> undefined;
  };
  State state_of(const Node* node, const NameSet& bound);
  // The staged form of one statement: functions of its blocks, and the call of the runtime with them.
  struct Parts;
  struct Part {
    Node* node;
    Name *body, *other;         // `other`: of the else, or of a while's test; null: there is none
    const Parts* of = nullptr;
    int64_t number = 0;         // number within `of`
  };
  // The parts of a statement and of those inside it, side by side in one function, so that each stands there once.
  struct Parts {
    Name* function = nullptr;
    int64_t late = -1;          // index in Conversion::late
    Name* rest = nullptr;       // if only ifs that end one another's blocks are inside: selects the part to run
    std::vector<Part*> all;
  };
  // both_forms.cpp, lean: each statement stands twice, in Python's own form and in the staged one, which the runtime
  // chooses. In the staged form the statements inside it are staged alone.
  void either_if(Node* node, Scope& scope, Nodes& out);
  void either(Node* node, Scope& scope, Nodes& out);
  void in_both_forms(Node* node, Scope& scope, Nodes& out);
  Nodes staged_form(Node* node, Node* value, Scope& scope);
  void staged_parts(Parts& parts, Scope& scope, Nodes& out);
  void late_parts(Parts& parts, Scope& scope);
  Node* late_call(int64_t which, int64_t number, Node* value, Position at);
  Node* late_value(Node* staged, Position at);
  Name* value_of_part();
  Node* negated_flag(const Node* guard, Position at);
  void either_while(Node* node, Scope& scope, Nodes& out);
  void either_for(Node* node, Scope& scope, Nodes& out);
  Node* either_expression(Node* first, Node* staged, Node* python, Position at);
  Node* either_bool(const List& values, uint32_t from, bool is_and, Position at);
  Node* is_staged(Node* value, Name* name, Position at);
  Node* choice(Node* test, const Nodes& body, const Nodes& orelse, Position at);
  Node* compared(Node* value, Op op, Node* with, Position at);
  Node* joined(Op op, const Nodes& values, Position at);
  Node* flags_are_not(bool constant, Op join, const std::vector<Name*>& flags, Position at);
  Node* may_have_jumped(const std::vector<Name*>& flags, Position at);
  Name* jumped();
  Name* at_depth(std::vector<Name*>& names, std::string_view wanted);
  void note_jumps(const Node* node, Nodes& out);
  bool native_jump(Node* node, Nodes& out);
  bool plain_leaves(const Node* test, bool certain, std::vector<Name*>& leaves);
  Node* plain_or(Node* test, const std::function<Node*()>& staged);
  bool both_forms() const { return native() && (parts_ || (depth_ < kMaxForms && guards_ < kMaxGuards)); }
  bool native() const { return lean() && !only_staged_ && !moved_; }  // what is made here runs in Python's own form
  bool inline_forms();

  // contained_loops.cpp
  bool contained_loop(Node* node, Scope& scope, Nodes& out);
  Node* as_written(const Node* node, std::string& needs);

  // written_inside.cpp
  bool stands_as_written(const Node* function);
  void find_written();
  bool stands_once() const { return stands_once_ && native() && !nesting_ && !class_body_; }

  // decided.cpp
  void begin_numbers(Node* node, Scope& scope, Nodes& out);
  const NameSet& own_variables();
  bool is_decided(const Node* test) const { return numbers_ && native() && numbers_->has(test); }
  Node* if_plain(Node* written, Node* else_, Position at);
  Node* unless_plain(Node* asked, Position at);
  Node* decided(Node* node);
  Node* asked_anyway(Node* test);

  // control_flow.cpp
  void staged_alone(Node* node, Node* value, Scope& scope, Nodes& out);
  void staged_blocks(const Part& part, Scope& scope, Nodes& out);
  void staged_call(const Part& part, Node* value, Scope& scope, Nodes& out);
  void if_statement(Node* node, Scope& scope, Nodes& out);
  void while_statement(Node* node, Scope& scope, Nodes& out);
  void for_statement(Node* node, Scope& scope, Nodes& out);
  void name_objects(const State& state, Node* block);
  Node* moved_block(Name* name, Node* arguments, const List& list, const Nodes& first, const State& state, Scope& scope,
                    const Node* origin, const NameSet& also_bound = {}, bool beside = false);
  void state_functions(const State& state, Position at, Nodes& out, Name** getter, Name** setter);
  void declarations(const State& state, Position at, Nodes& out);
  void undefined_assigns(const State& state, Position at, Scope& scope, Nodes& out);
  Node* state_tuple(const State& state, Op context, Position at);
  Node* state_names(const State& state, Position at);
  const List* without_options(const List& list, uint32_t skip);
  Node* loop_options(const List& body, uint32_t& skip, Node* iterate_names, Position at);

  // convert_expressions.cpp
  Node* expression(Node* node);
  const List* expressions(const List& list);
  Node* call(Node* node);
  Node* bool_op(Node* node);
  Node* compare(Node* node);
  Node* pairs(Node* left, const OpList& ops, const List& comparators, uint32_t from, Position at);
  Node* conditional(Node* node);
  Node* comprehension(Node* node);
  Node* placed_apart(Node* target, uint32_t number);
  Node* thunk(Node* value);
  Node* generic(Node* node);
  Node* runtime(std::string_view name, Position at) { return tree_.load(tree_.name(name), at); }
  bool movable(const Node* node) const { return !(node->flags & (kHasWalrus | kHasYield | kHasLocals)); }

  Node* ag(std::string_view name, Position at) { return tree_.attribute(tree_.load(ag_(), at), name, at); }
  Name* ag_();

  Tree& tree_;
  const Options& options_;
  Conversion& result_;
  const Converter* outer_;
  Activity activity_;
  Lowered lowered_;
  Name* scope_name_ = nullptr;       // fscope
  const Node* function_ = nullptr;
  int class_body_ = 0;               // depth of class bodies: expressions there do not become functions
  struct Handled {                   // a try whose handlers may catch what is raised
    int moved = 0;
    Name* depth = nullptr;           // the depth of staged statements at its start, if a raise in it needs that
  };
  Handled* caught_ = nullptr;
  int moved_ = 0;                    // inside a function generated here
  bool plain_names_ = false;         // readable: no ag__.ld around names
  bool raw_expressions_ = false;     // the function inspects its own scope: nothing is added to it
  bool plain_calls_ = false;         // calls are not converted
  static constexpr int kMaxForms = 3, kMaxGuards = 3;
  bool only_staged_ = false;         // lean: inside the staged form of a statement
  Parts* parts_ = nullptr;           // lean: where statements in Python's own form put what is staged
  const Parts* beside_ = nullptr;    // lean: the parts being built
  std::unordered_map<const Node*, Part> part_of_;
  int nesting_ = 0;                  // nesting of statements in Python's own form
  int depth_ = 0;                    // how many of them are staged separately
  int guards_ = 0;                   // nesting of guards
  int expression_depth_ = 0;         // nesting of expressions
  int kept_comprehension_ = 0;       // inside a comprehension that stays as it is: no walrus may stand there
  NameSet lists_;                    // names of lists that are appended to in control flow
  std::unordered_map<const Node*, Node*> definitions_;  // functions inside, converted once
  Name* test_ = nullptr;             // lean: what a test gave
  Name* values_ = nullptr;           // lean: what a loop iterates over
  std::vector<Name*> go_on_, turns_, rest_, functions_;  // lean: by nesting
  std::unordered_map<uint64_t, const Node*> loops_;  // lean: of the function as it was written
  int written_comprehensions_ = 0;   // lean: in loops that stand as they were written, too
  bool in_written_loop_ = false;     // lean: inside of a loop that is also kept as written
  bool found_written_ = false;       // lean: whether the rest has been searched
  std::unordered_set<const Node*> written_;  // lean: functions inside that stand as they were written
  bool stands_once_ = true;          // lean: nothing staged holds this function, too
  std::unique_ptr<PlainValues> numbers_;  // lean: inside of a loop, what plain values alone decide
  bool in_loop_ = false;             // lean: inside of a loop in Python's own form
  Name* plain_ = nullptr;            // lean: whether they are plain
  NameSet own_;                      // lean: variables that nothing but the function's statements changes
  const Flow* flow_ = nullptr;       // flow of the statement whose test is converted
  NameSet shared_with_late_;         // lean: variables of this function that are used in Conversion::late
  Node* first_late_ = nullptr;       // the first call of one of them
  Name* jumped_ = nullptr;           // lean: whether a staged statement may have set a flag
  Name* value_ = nullptr;            // lean: what an operand gave
  Name* items_ = nullptr;            // lean: what a comprehension iterates over
  Name* if_body_ = nullptr;          // lean: the same few names, reused
  Name* else_body_ = nullptr;
  Name* loop_body_ = nullptr;
  Name* loop_test_ = nullptr;
};

Position header_of(const Node* statement, const Node* last);

}  // namespace footlight::autograph
