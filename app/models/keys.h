// Cache keys as the window shows them: a leaf in one word, a parameter in one cell, two keys side by side as a tree.
#pragma once

#include "engine/session/records.h"

#include <QString>

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace footlight::app {

QString leaf_text(const session::KeyLeaf& leaf);       // "Tensor f32[32,8]", "float 0.1"
QString leaf_short(const session::KeyLeaf& leaf);      // "f32[32,8]", "0.1"
bool same_leaf(const session::KeyLeaf& a, const session::KeyLeaf& b);

// The value of parameter `name` in trace `t`, short enough for a table; empty if the key has no such parameter.
// `shared`: paths of leaves that are left out.
QString parameter_cell(const session::TraceRecord& t, const std::string& name,
                       const std::set<std::string>& shared = {});
// The paths of the leaves of a parameter that are the same in all these traces: they tell none of them from the others.
std::set<std::string> shared_leaves(const std::vector<const session::TraceRecord*>& traces, const std::string& name);
// Its number, if the parameter is one number: with all digits of the recording, of which a cell shows the first.
std::optional<double> parameter_number(const session::TraceRecord& t, const std::string& name);
// The parameters in which trace `t` differs from its nearest one.
std::set<std::string> differing_parameters(const session::TraceRecord& t);

// One row of two keys side by side. Rows are in tree order; `parent` is an index into the same vector.
struct KeyRow {
  QString label;         // "args", "[1] lr", "captures"
  QString left, right;   // leaf texts; empty for groups and for leaves that only the other side has
  int depth = 0;
  int parent = -1;
  bool leaf = false;
  bool differs = false;  // this leaf, or one below
  bool open = false;     // only groups with a differing leaf are open
};

struct KeyDiff {
  std::vector<KeyRow> rows;
  int leaves = 0;
  int differing = 0;
};

// `left` may be null: the first trace has none to compare with.
KeyDiff diff_keys(const session::TraceRecord* left, const session::TraceRecord& right);
// The visible rows, given which groups are open (`rows[i].open`).
std::vector<int> visible_rows(const KeyDiff& diff);

}  // namespace footlight::app
