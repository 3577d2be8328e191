// What the nodes of a graph are grouped by: scopes of names, repeated pieces, what a library made in one call, and,
// where a level would still hold too many, the Python functions that made them or simply their order.
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
  size_t nodes = 0;   // that are shown, in all of its pieces
  GraphRepeat repeat;  // kRepeat
};

struct GraphGroups {
  std::vector<GraphGroup> groups;
  std::vector<int> of;  // by position in the graph: the innermost group; -1
};

struct GroupingRules {
  QString prefix;
  std::vector<std::string> names;  // by position; scopes end in slashes
  std::string common;       // what all names begin with: no scope of its own
  bool only_scopes = false;
  std::function<bool(size_t)> shown;  // by position
};

// The beginning, up to a slash, that all names share.
std::string common_scope(const std::vector<std::string>& names);
GraphGroups group_nodes(const Document& document, const session::GraphRecord& graph, const GroupingRules& rules);

}  // namespace footlight::app
