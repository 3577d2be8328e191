// Groups the nodes of a graph: by scopes of names, repeated pieces, library calls and, if a level would still have too
// many, by the Python functions that made them or simply by order.
#pragma once

#include "app/models/graph_repeats.h"

#include <functional>
#include <vector>

namespace footlight::app {

struct GraphGroup {
  enum class Kind { kScope, kRepeat, kFunction, kBlock };
  Kind kind = Kind::kScope;
  bool is_of_library = false;  // no node in it was made by a line of the person's: closed unless it is opened
  QString key;        // begins with the prefix given
  QString title, detail;
  int parent = -1;
  size_t nodes = 0;   // number of visible nodes in all of its pieces
  GraphRepeat repeat;  // kRepeat
};

struct GraphGroups {
  std::vector<GraphGroup> groups;
  std::vector<int> of;  // for each position, the innermost group, or -1
};

struct GroupingRules {
  QString prefix;
  std::vector<std::string> names;  // for each position; scopes end in slashes
  std::string common;       // prefix of all names; it is no scope of its own
  bool only_scopes = false;
  std::function<bool(size_t)> shown;  // whether the node at a position is visible
};

// The beginning, up to a slash, that all names share.
std::string common_scope(const std::vector<std::string>& names);
GraphGroups group_nodes(const Document& document, const session::GraphRecord& graph, const GroupingRules& rules);

}  // namespace footlight::app
