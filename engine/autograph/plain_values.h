// Finds the variables of a loop that hold plain values (numbers, text, None) in all iterations if they do before it.
// Decisions that depend only on them are left to Python.
#pragma once

#include "engine/autograph/name_set.h"

#include <string_view>
#include <vector>

namespace footlight::autograph {

class PlainValues {
 public:
  // `own` has the variables of the loop's function that nothing else changes. The loop is lowered and runs in Python.
  PlainValues(const Node* loop, const NameSet& own);

  // Whether the value of an expression is plain, and evaluating it uses only plain values.
  bool has(const Node* expression) const;
  // The variables that decide something which a conversion would stage, and the variables that they come from.
  const NameSet& names() const { return names_; }
  // Names that must refer to Python's builtins.
  const std::vector<std::string_view>& builtins() const { return builtins_; }

 private:
  void collect(const Node* node);
  void block(const List& list);
  void statement(const Node* node, bool outermost);
  void bind(const Node* target, const Node* value);
  void target_of(const Node* loop, bool outermost);
  void take_out(const Name* name);
  void take_out_all(const Node* node);
  bool all(const List& list) const;
  std::string_view called(const Node* node) const;
  void needed_in(const Node* node, bool outermost, NameSet& found) const;
  void sources_in(const Node* node, NameSet& found) const;
  void source(const Node* target, const Node* value, NameSet& found) const;

  const NameSet& own_;
  NameSet names_;
  std::vector<std::string_view> builtins_;
  bool changed_ = false;
};

}  // namespace footlight::autograph
