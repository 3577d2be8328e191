// A syntax tree as Python text, in the style of Python's ast.unparse, with a map from its lines to the user's.
#pragma once

#include "engine/autograph/tree.h"

#include <string>
#include <vector>

namespace footlight::autograph {

struct Text {
  std::string text;           // without a newline at the end
  std::vector<int>
      line_map;  // per line of the text, from index 0: the line of its statement, 0: none
};

// A Module, a statement or an expression.
Text unparse(const Tree& tree, const Node* node);
std::string unparse_expression(const Tree& tree, const Node* node);

}  // namespace footlight::autograph
