// Scopes and paths for outside.h: which names are local, and what `self.layers['a']` names.
#pragma once

#include "engine/autograph/outside.h"

#include <map>
#include <set>
#include <string_view>

namespace footlight::autograph {

// Bound names of a scope and its declarations, without those of functions inside.
struct LocalNames {
  std::set<std::string_view> bound, declared;
  std::map<std::string_view, int> parameters;
  bool has(std::string_view name) const { return bound.contains(name) && !declared.contains(name); }
};

// Takes a FunctionDef or Lambda.
LocalNames local_names_of(const Node* function);

// Reads a constant subscript: a string or a small number.
bool constant_key(const Node* node, PathStep& step);
// A name followed by attributes and items with constant keys.
bool plain_path(const Node* node, OutsidePath& path);

// list.append, dict.update, ...: methods that change their container.
bool is_mutator(std::string_view method);
// True, None, 0, []: what is the same each time.
bool is_literal(const Node* node);
bool is_store(const Node* node, int slot);

// print(...), logger.info(...), warnings.warn(...), sys.stderr.write(...): what they get goes into no graph.
bool is_talk(const Node* call);
// Whether a text in the call is about tracing: print('traced', n, 'times').
bool speaks_of_traces(const Node* call);

}  // namespace footlight::autograph
