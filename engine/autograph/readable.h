// What tf.autograph.to_code prints and the app shows: readable text, its line map and each statement's fate.
#pragma once

#include "engine/autograph/convert.h"

namespace footlight::autograph {

struct Readable {
  std::string text;             // ends in a newline; empty: see reason
  std::vector<int> line_map;    // per line from index 0: the user's line, 0 for none
  std::vector<Fate> statements;
  std::string reason;
};

// `name`: of the generated function, "tf__f"; a lambda is assigned to it.
Readable readable(Tree& tree, Node* function, std::string_view name, bool recursive = true);

}  // namespace footlight::autograph
