// Formats key leaves, and compares two keys as one tree of rows.
#include "app/models/keys.h"

#include "app/models/text.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace footlight::app {
namespace {

QString shape_brackets(const session::KeyLeaf& leaf) {
  return short_type(q(leaf.type) + QStringLiteral(" (") + q(leaf.shape) + QStringLiteral(")"));
}

// "args[1]['lr'][0]" -> "args", "[1]", "['lr']", "[0]"; "context.graph" -> "context", "graph".
std::vector<std::string> steps(const std::string& path) {
  constexpr size_t kDeepest = 100;  // depth of the tree that is shown; the rest becomes one step
  std::vector<std::string> found;
  size_t at = 0;
  while (at < path.size()) {
    if (found.size() + 1 == kDeepest) {
      found.push_back(path.substr(at));
      break;
    }
    if (path[at] == '[') {
      int depth = 0;
      char quote = 0;
      size_t stop = at;
      for (; stop < path.size(); ++stop) {
        const char c = path[stop];
        if (quote) {
          if (c == quote) quote = 0;
        } else if (c == '\'' || c == '"') {
          quote = c;
        } else if (c == '[') {
          ++depth;
        } else if (c == ']' && --depth == 0) {
          ++stop;
          break;
        }
      }
      found.push_back(path.substr(at, stop - at));
      at = stop;
    } else {
      if (path[at] == '.') ++at;
      size_t stop = path.find_first_of(".[", at);
      if (stop == std::string::npos) stop = path.size();
      if (stop > at) found.push_back(path.substr(at, stop - at));
      if (stop == at && (stop >= path.size() || path[stop] != '[')) break;
      at = stop;
    }
  }
  return found;
}

struct Branch {
  std::string step, parameter;
  const session::KeyLeaf* left = nullptr;
  const session::KeyLeaf* right = nullptr;
  std::vector<Branch> children;
  std::unordered_map<std::string, size_t> by_step;

  Branch& child(const std::string& name) {
    const auto [it, added] = by_step.try_emplace(name, children.size());
    if (added) children.emplace_back().step = name;
    return children[it->second];
  }
};

void hang(Branch& root, const session::KeyLeaf& leaf, bool left) {
  Branch* at = &root;
  for (const std::string& step : steps(leaf.path)) at = &at->child(step);
  if (at == &root) at = &root.child(leaf.path);
  at->parameter = leaf.parameter;
  (left ? at->left : at->right) = &leaf;
}

bool flatten(const Branch& branch, int depth, int parent, bool alone, KeyDiff& diff) {
  const int row = static_cast<int>(diff.rows.size());
  KeyRow made;
  made.depth = depth;
  made.parent = parent;
  made.label = q(branch.step);
  if (depth == 1 && !branch.parameter.empty() && branch.step.starts_with('[')) {
    made.label += QLatin1Char(' ') + q(branch.parameter);
  }
  if (branch.left || branch.right) {
    made.leaf = true;
    if (branch.left) made.left = leaf_text(*branch.left);
    if (branch.right) made.right = leaf_text(*branch.right);
    made.differs = !alone && (!branch.left || !branch.right || !same_leaf(*branch.left, *branch.right));
    ++diff.leaves;
    if (made.differs) ++diff.differing;
  }
  bool differs = made.differs;
  diff.rows.push_back(std::move(made));
  for (const Branch& c : branch.children) differs |= flatten(c, depth + 1, row, alone, diff);
  KeyRow& self = diff.rows[static_cast<size_t>(row)];
  self.differs = differs;
  self.open = !branch.children.empty() && (differs || (alone && depth == 0) || depth == 0);
  return differs;
}

// The value of a tensor's leaf says that its type is weak.
QString weakness(const session::KeyLeaf& tensor) {
  return tensor.value.empty() ? QString() : QStringLiteral("weak ");
}

}  // namespace

QString leaf_short(const session::KeyLeaf& leaf) {
  if (leaf.kind == "tensor") return weakness(leaf) + shape_brackets(leaf);
  if (leaf.kind == "variable" || leaf.kind == "element") return shape_brackets(leaf);
  if (!leaf.value.empty()) return leaf.kind == "literal" ? short_number(q(leaf.value)) : q(leaf.value);
  return q(leaf.type.empty() ? leaf.kind : leaf.type);
}

QString leaf_text(const session::KeyLeaf& leaf) {
  if (leaf.kind == "tensor") return QStringLiteral("Tensor ") + weakness(leaf) + shape_brackets(leaf);
  if (leaf.kind == "variable") {
    const QString alias = leaf.value.empty() ? QString() : QStringLiteral("  alias ") + q(leaf.value);
    return QStringLiteral("Variable ") + shape_brackets(leaf) + alias;
  }
  if (leaf.kind == "element") return QStringLiteral("Yields ") + shape_brackets(leaf);
  if (leaf.kind == "none") return QStringLiteral("None");
  QString text = q(leaf.type);
  if (!leaf.value.empty()) {
    if (!text.isEmpty()) text += QLatin1Char(' ');
    text += q(leaf.value);
  }
  return text.isEmpty() ? q(leaf.kind) : text;
}

bool same_leaf(const session::KeyLeaf& a, const session::KeyLeaf& b) {
  return a.kind == b.kind && a.type == b.type && a.shape == b.shape && a.value == b.value;
}

namespace {

// Writes leaves as Python writes them: "[1, 2]", "(1, 2)", "{a: float32[3]}". The first ones, and how many more.
class CellWriter {
 public:
  CellWriter(std::vector<const session::KeyLeaf*> leaves, const std::set<std::string>& shared)
      : leaves_(std::move(leaves)), shared_(shared) {}

  QString all() {
    std::vector<QString> parts;
    size_t more = 0;
    bool left_out = false;
    while (at_ < leaves_.size()) item({}, parts, more, left_out);
    if (parts.empty() && !more) return {};
    if (parts.size() == 1 && !more) return parts.front();
    return QLatin1Char('(') + joined(parts, more, left_out) + QLatin1Char(')');
  }

 private:
  static constexpr size_t kShown = 3;

  static QString joined(std::vector<QString> parts, size_t more, bool left_out) {
    if (more) parts.push_back(QStringLiteral("+%1").arg(more));
    if (left_out) parts.push_back(QString::fromUtf8("…"));
    QString text;
    for (const QString& part : parts) text += (text.isEmpty() ? QString() : QStringLiteral(", ")) + part;
    return text;
  }

  // "a" of "args[0]['a']" below "args[0]"; `is_named`: keys and fields have names, positions have none.
  static QString name_of(const std::string& path, const std::string& outer, bool is_named) {
    if (!is_named || path.size() <= outer.size()) return {};
    std::string step = path.substr(outer.size());
    if (step.front() == '.') step.erase(0, 1);
    else if (step.front() == '[' && step.back() == ']') step = step.substr(1, step.size() - 2);
    if (step.size() > 1 && step.front() == '\'' && step.back() == '\'') step = step.substr(1, step.size() - 2);
    return q(step) + QStringLiteral(": ");
  }

  bool is_inside(const std::string& outer) const {
    const std::string& path = leaves_[at_]->path;
    return path.size() > outer.size() && path.starts_with(outer) &&
           (path[outer.size()] == '[' || path[outer.size()] == '.');
  }

  // Takes the leaf at `at_`, and those inside of it.
  void item(const QString& name, std::vector<QString>& parts, size_t& more, bool& left_out) {
    const session::KeyLeaf& leaf = *leaves_[at_++];
    if (leaf.kind != "structure") {
      if (shared_.contains(leaf.path)) left_out = true;
      else if (shown_ < kShown) parts.push_back(name + leaf_short(leaf)), ++shown_;
      else ++more;
      return;
    }
    const bool is_full = shown_ >= kShown;
    const std::string kind = leaf.type.substr(0, leaf.type.find('['));
    const bool is_list = kind == "list", is_tuple = kind == "tuple", is_dict = kind == "dict", is_set = kind == "set";
    std::vector<QString> inner;
    size_t more_inside = 0;
    bool left_out_inside = false;
    // An item stands at its position: what is left out before it has a place, too.
    const bool has_positions = is_list || is_tuple;
    const QString dots = QString::fromUtf8("…");
    bool any_left_out = false;
    while (at_ < leaves_.size() && is_inside(leaf.path)) {
      bool is_left_out = false;
      item(name_of(leaves_[at_]->path, leaf.path, !has_positions && !is_set), inner, more_inside, is_left_out);
      any_left_out |= is_left_out;
      if (is_left_out && !has_positions) left_out_inside = true;
      if (is_left_out && has_positions && (inner.empty() || inner.back() != dots)) inner.push_back(dots);
    }
    if (any_left_out && !more_inside && std::ranges::all_of(inner, [&](const QString& part) { return part == dots; })) {
      left_out = true;
      return;
    }
    if (is_full && more_inside) {
      more += more_inside;
      return;
    }
    QString text = joined(inner, more_inside, left_out_inside);
    if (is_tuple && inner.size() == 1 && !more_inside && !any_left_out) text += QLatin1Char(',');
    const bool is_braced = is_dict || is_set;
    const QString open = is_list ? QStringLiteral("[") : is_braced ? QStringLiteral("{") : QStringLiteral("(");
    const QString close = is_list ? QStringLiteral("]") : is_braced ? QStringLiteral("}") : QStringLiteral(")");
    const QString type = is_list || is_tuple || is_braced ? QString() : q(kind.substr(0, kind.find('(')));
    parts.push_back(name + type + open + text + close);
  }

  std::vector<const session::KeyLeaf*> leaves_;
  const std::set<std::string>& shared_;
  size_t at_ = 0, shown_ = 0;
};

// The leaves of a parameter. A dataset or an iterator has a single leaf, its type, which says what it yields.
std::vector<const session::KeyLeaf*> leaves_of(const session::TraceRecord& t, const std::string& name) {
  std::vector<const session::KeyLeaf*> leaves;
  std::string described;  // the path of the dataset or iterator
  for (size_t i = 0; i < t.key.size(); ++i) {
    const session::KeyLeaf& leaf = t.key[i];
    if (leaf.parameter != name || (!described.empty() && leaf.path.starts_with(described))) continue;
    if (i + 1 < t.key.size() && t.key[i + 1].kind == "element" && leaf.path.ends_with("[0]")) {
      described = leaf.path.substr(0, leaf.path.size() - 3);
      if (!leaves.empty() && leaves.back()->path == described) leaves.pop_back();
    }
    leaves.push_back(&leaf);
  }
  return leaves;
}

}  // namespace

QString parameter_cell(const session::TraceRecord& t, const std::string& name, const std::set<std::string>& shared) {
  std::vector<const session::KeyLeaf*> leaves = leaves_of(t, name);
  return leaves.empty() ? QString() : CellWriter(std::move(leaves), shared).all();
}

std::set<std::string> shared_leaves(const std::vector<const session::TraceRecord*>& traces, const std::string& name) {
  std::set<std::string> shared;
  if (traces.size() < 2) return shared;
  // The first trace's leaf at each path, and how many traces have the same.
  std::unordered_map<std::string, std::pair<const session::KeyLeaf*, size_t>> same;
  for (const session::KeyLeaf* leaf : leaves_of(*traces.front(), name))
    if (leaf->kind != "structure") same.emplace(leaf->path, std::pair(leaf, size_t{0}));
  for (const session::TraceRecord* t : traces) {
    for (const session::KeyLeaf* leaf : leaves_of(*t, name))
      if (const auto at = same.find(leaf->path); at != same.end() && same_leaf(*at->second.first, *leaf))
        ++at->second.second;
  }
  for (const auto& [path, found] : same)
    if (found.second == traces.size()) shared.insert(path);
  return shared;
}

std::optional<double> parameter_number(const session::TraceRecord& t, const std::string& name) {
  const session::KeyLeaf* only = nullptr;
  for (const session::KeyLeaf& leaf : t.key) {
    if (leaf.parameter != name || leaf.kind == "structure") continue;
    if (only || leaf.kind != "literal") return {};
    only = &leaf;
  }
  bool is_number = false;
  const double number = only ? q(only->value).toDouble(&is_number) : 0;  // a recording keeps literals as Python's text
  return is_number && !std::isnan(number) ? std::optional(number) : std::nullopt;
}

std::set<std::string> differing_parameters(const session::TraceRecord& t) {
  constexpr size_t kLookedAt = 64;  // differing paths that are examined
  std::set<std::string> differing;
  for (const session::KeyLeaf& leaf : t.key) {
    for (size_t i = 0; i < std::min(t.differing.size(), kLookedAt); ++i) {
      // A differing path may name a part of the leaf ("args[0].shape[0]") or a structure above it.
      const std::string& path = t.differing[i];
      if (!path.starts_with(leaf.path) && !leaf.path.starts_with(path)) continue;
      differing.insert(leaf.parameter);
      break;
    }
  }
  return differing;
}

KeyDiff diff_keys(const session::TraceRecord* left, const session::TraceRecord& right) {
  Branch root;
  if (left) {
    for (const session::KeyLeaf& leaf : left->key) hang(root, leaf, true);
  }
  for (const session::KeyLeaf& leaf : right.key) hang(root, leaf, false);
  KeyDiff diff;
  for (const Branch& c : root.children) {
    // Leave out default context that does not differ.
    const auto bare = [](const session::KeyLeaf* leaf) {
      return !leaf || (leaf->kind == "context" && leaf->value.empty());
    };
    if (c.children.empty() && bare(c.left) && bare(c.right) && (!left || (c.left && c.right))) continue;
    flatten(c, 0, -1, !left, diff);
  }
  // Captures are not part of the key, but the first thing to look at when the keys are equal.
  const auto names = [](const session::TraceRecord& t) {
    QString text;
    for (const std::string& capture : t.captures) {
      text += (text.isEmpty() ? QString() : QStringLiteral(" ")) + q(capture.substr(0, capture.find(' ')));
    }
    return text;
  };
  if (!right.captures.empty() || (left && !left->captures.empty())) {
    KeyRow row;
    row.label = QStringLiteral("captures");
    row.left = left ? names(*left) : QString();
    row.right = names(right);
    if (left && left->captures == right.captures)
      row.right += QStringLiteral("   same"), row.left += QStringLiteral("   same");
    const int parent = static_cast<int>(diff.rows.size());
    diff.rows.push_back(row);
    const size_t most = std::max(right.captures.size(), left ? left->captures.size() : 0);
    for (size_t i = 0; i < most; ++i) {
      KeyRow capture;
      capture.depth = 1;
      capture.parent = parent;
      if (left && i < left->captures.size()) capture.left = q(left->captures[i]);
      if (i < right.captures.size()) capture.right = q(right.captures[i]);
      diff.rows.push_back(capture);
    }
  }
  return diff;
}

std::vector<int> visible_rows(const KeyDiff& diff) {
  std::vector<int> seen;
  std::vector<bool> shown(diff.rows.size());
  for (size_t i = 0; i < diff.rows.size(); ++i) {
    const int parent = diff.rows[i].parent;
    shown[i] = parent < 0 || (shown[static_cast<size_t>(parent)] && diff.rows[static_cast<size_t>(parent)].open);
    if (shown[i]) seen.push_back(static_cast<int>(i));
  }
  return seen;
}

}  // namespace footlight::app
