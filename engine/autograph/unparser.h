// The unparser's state, private to its three files.
#pragma once

#include "engine/autograph/unparse.h"

namespace footlight::autograph {

// How tightly the surrounding text binds: looser expressions get parentheses.
enum Precedence : int {
  kNamedExpr, kTuple, kYield, kTest, kOr, kAnd, kNot, kCompare, kBitOr, kBitXor, kBitAnd, kShift, kArithmetic, kTerm,
  kFactor, kPower, kAwait, kAtom,
};

class Unparser {
 public:
  explicit Unparser(const Tree& tree, bool avoid_backslashes = false)
      : tree_(tree), avoid_backslashes_(avoid_backslashes) {}

  void statement(const Node* node);
  void body(const List& statements, bool docstring = false);
  void expression(const Node* node, int precedence = kTest);
  Text finish();

 private:
  // unparse.cpp
  void line(const Node* node, std::string_view text);  // starts a line at the current indentation
  void blank();
  void count_lines();
  void block(const List& statements, bool docstring = false);
  void function(const Node* node, std::string_view keyword);
  void class_def(const Node* node);
  void if_chain(const Node* node);
  void loop_else(const Node* node, const List& orelse);
  void try_statement(const Node* node, bool star);
  void with_statement(const Node* node, std::string_view keyword);
  void match(const Node* node);
  void pattern(const Node* node, int precedence = kTest);
  void decorators(const List& list);
  void type_params(const List& list);
  void arguments(const Node* node);
  void argument(const Node* node);
  void aliases(const List& list);
  void docstring(const Node* statement);

  // unparse_expressions.cpp
  void items(const List& list, int precedence = kTest);
  void tuple(const Node* node, int precedence);
  void bin_op(const Node* node, int precedence);
  void compare(const Node* node, int precedence);
  void call(const Node* node);
  void subscript(const Node* node);
  void dict(const Node* node);
  void comprehension(const Node* node, std::string_view open, std::string_view close);
  void generators(const List& list);

  // unparse_strings.cpp
  void constant(const Constant& constant);
  void string(std::string_view text, bool only_triple);
  void f_string(const Node* node);
  struct Piece {
    std::string text;
    bool literal;
  };
  void pieces(const Node* joined, std::vector<Piece>& out, bool spec = false);

  void open_if(bool yes) { if (yes) out_ += '('; }
  void close_if(bool yes) { if (yes) out_ += ')'; }

  const Tree& tree_;
  bool avoid_backslashes_;
  std::string out_;
  std::vector<int> map_;  // for each line started so far
  size_t counted_ = 0, newlines_ = 0;  // position up to which line ends were counted, and their number
  int indent_ = 0;
};

}  // namespace footlight::autograph
