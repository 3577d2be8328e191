// Scopes come from names, repeats from structure; a repeat lies in the scopes that all of its nodes share. A library's
// nodes outside of its own scopes are in a scope of the call that made them.
#include "app/models/graph_groups.h"

#include "app/models/library_calls.h"
#include "app/models/text.h"

#include <algorithm>
#include <map>
#include <set>

namespace footlight::app {
namespace {

constexpr size_t kMaxInLevel = 240;   // boxes in a level above which they are grouped
constexpr size_t kBlocksInLevel = 40;
constexpr size_t kFewOfLine = 8;       // nodes made by one line of a library that are worth a box of their own

class Grouper {
 public:
  Grouper(const Document& document, const session::GraphRecord& graph, const GroupingRules& rules)
      : document_(document), graph_(graph), rules_(rules), names_(rules.names) {
    made_.of.assign(graph.nodes.size(), -1);
  }

  GraphGroups make() {
    find_scopes();
    if (!rules_.only_scopes) find_library();
    if (!rules_.only_scopes) repeats_ = find_repeats(document_, graph_);
    shared_.resize(repeats_.size());
    for (size_t r = 0; r < repeats_.size(); ++r) shared_[r] = shared_name(repeats_[r]);
    for (size_t i = 0; i < graph_.nodes.size(); ++i) place(i);
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (!rules_.shown(i)) continue;
      for (int g = made_.of[i]; g >= 0; g = group(g).parent) ++group(g).nodes;
    }
    if (!rules_.only_scopes) {
      // Blocks are appended while levels are looked at, and are levels themselves.
      split_level(-1);
      for (size_t g = 0; g < made_.groups.size(); ++g) split_level(static_cast<int>(g));
    }
    return std::move(made_);
  }

 private:
  GraphGroup& group(int index) { return made_.groups[static_cast<size_t>(index)]; }

  // The scopes that hold two or more nodes and are not themselves a node's name.
  void find_scopes() {
    std::map<std::string, size_t> count;
    std::set<std::string> names;
    size_t seen = 0;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const std::string& name = names_[i];
      names.insert(name);
      if (!rules_.shown(i)) continue;
      ++seen;
      for (size_t at = name.find('/'); at != std::string::npos; at = name.find('/', at + 1))
        ++count[name.substr(0, at)];
    }
    for (const auto& [name, nodes] : count) {
      // A frame around everything is useless: all nodes in the body of `cond` are in the scope `cond`.
      if (nodes >= 2 && nodes < seen && !names.count(name)) scopes_.insert(name);
    }
  }

  // Finds scopes with only library nodes; other library nodes get a scope for each call of the user's.
  void find_library() {
    struct Count { size_t library = 0, person = 0; SourcePlace place; bool has_several_places = false; };
    using Maker = LibraryCalls::Maker;
    const LibraryCalls library = library_calls(document_, graph_);
    if (std::ranges::find(library.makers, Maker::kLibrary) == library.makers.end()) return;
    std::map<std::string, Count> counts;
    const auto each_scope = [](const std::string& name, auto&& visit) {
      for (size_t at = name.find('/'); at != std::string::npos; at = name.find('/', at + 1)) visit(name.substr(0, at));
    };
    const auto count = [&](size_t i, const std::string& scope) {
      Count& c = counts[scope];
      c.library += library.makers[i] == Maker::kLibrary;
      c.person += library.makers[i] == Maker::kPerson;
      if (!library.place[i]) return;
      c.has_several_places |= c.place && c.place != library.place[i];
      c.place = library.place[i];
    };
    size_t shown = 0;
    for (size_t i = 0; i < names_.size(); ++i) {
      if (!rules_.shown(i)) continue;
      ++shown;
      each_scope(names_[i], [&](const std::string& scope) {
        if (scopes_.count(scope)) count(i, scope);
      });
    }
    const auto is_library = [&](const std::string& scope) {
      const auto at = counts.find(scope);
      return at != counts.end() && at->second.library && !at->second.person;
    };
    // Behind the innermost scope around it, which is no library's, a node gets the scope of its call.
    std::map<std::string, std::vector<size_t>> loose;
    std::set<std::string> lines;
    for (size_t i = 0; i < names_.size(); ++i) {
      if (library.call[i] < 0 || !rules_.shown(i)) continue;
      std::string around;
      bool is_inside = false;
      each_scope(names_[i], [&](const std::string& scope) {
        if (!scopes_.count(scope)) return;
        around = scope + "/";
        is_inside |= is_library(scope);
      });
      if (around.size() < rules_.common.size()) around = rules_.common;
      const LibraryCalls::Call& call = library.calls[static_cast<size_t>(library.call[i])];
      // A node that runs a graph is a way into it, and stays visible.
      if (is_inside || !graph_.nodes[i].functions.empty()) continue;
      const std::string scope = around + "\u2302" + call.key;
      loose[scope].push_back(i);
      library_[scope].title = call.title;
      if (call.is_line) lines.insert(scope);
    }
    for (const auto& [scope, nodes] : loose) {
      if (nodes.size() < (lines.contains(scope) ? kFewOfLine : 2) || nodes.size() == shown) continue;
      const size_t around = scope.rfind('/') + 1;
      scopes_.insert(scope);
      for (const size_t i : nodes) {
        count(i, scope);
        names_[i].insert(around == 0 ? 0 : around, scope.substr(around) + "/");
      }
    }
    for (const std::string& scope : scopes_) {
      if (!is_library(scope)) continue;
      const Count& c = counts[scope];
      if (c.place && !c.has_several_places) library_[scope].detail = document_.place_text(c.place);
      else library_[scope];
    }
  }

  // The longest beginning, up to a slash, that the names of a repeat's nodes share.
  std::string shared_name(const GraphRepeat& r) const {
    std::string shared = names_[r.first];
    for (size_t i = r.first; i < r.end() && !shared.empty(); ++i) {
      const std::string& name = names_[i];
      const size_t most = std::min(shared.size(), name.size());
      size_t same = 0;
      while (same < most && shared[same] == name[same]) ++same;
      const size_t slash = same ? shared.rfind('/', same - 1) : std::string::npos;
      shared.resize(slash == std::string::npos ? 0 : slash + 1);
    }
    return shared;
  }

  // Finds or makes the groups around a node, from the outside in.
  void place(size_t i) {
    while (!open_.empty() && repeats_[open_.back()].end() <= i) open_.pop_back();
    while (next_ < repeats_.size() && repeats_[next_].first <= i) open_.push_back(next_++);
    const std::string& name = names_[i];
    int parent = -1;
    std::string inside = rules_.common;
    auto repeat = open_.begin();
    const auto enter_repeats = [&](size_t depth) {
      for (; repeat != open_.end() && shared_[*repeat].size() <= depth; ++repeat)
        parent = repeat_group(*repeat, parent);
    };
    for (size_t at = name.find('/'); at != std::string::npos; at = name.find('/', at + 1)) {
      const std::string scope = name.substr(0, at);
      enter_repeats(at);
      if (!scopes_.count(scope)) continue;
      parent = scope_group(scope, parent, inside);
      inside = scope + "/";
    }
    enter_repeats(SIZE_MAX);
    made_.of[i] = parent;
  }

  int add(GraphGroup g) {
    made_.groups.push_back(std::move(g));
    return static_cast<int>(made_.groups.size()) - 1;
  }

  int scope_group(const std::string& scope, int parent, const std::string& inside) {
    const auto [known, added] = scope_groups_.try_emplace({parent, scope}, -1);
    if (!added) return known->second;
    GraphGroup g;
    g.key = rules_.prefix + q(scope) + QLatin1Char('/');
    // A repeat may cut a scope into parts.
    if (const size_t part = parts_[scope]++) g.key += QStringLiteral("#%1/").arg(part);
    g.title = q(scope.substr(inside.size()));
    g.parent = parent;
    if (const auto library = library_.find(scope); library != library_.end()) {
      g.is_of_library = true;
      g.detail = library->second.detail;
      if (!library->second.title.isEmpty()) g.kind = GraphGroup::Kind::kFunction, g.title = library->second.title;
    }
    return known->second = add(std::move(g));
  }

  int repeat_group(size_t r, int parent) {
    const auto [known, added] = repeat_groups_.try_emplace(r, -1);
    if (!added) return known->second;
    const GraphRepeat& repeat = repeats_[r];
    GraphGroup g;
    g.kind = GraphGroup::Kind::kRepeat;
    g.key = rules_.prefix + QStringLiteral("×") + q(graph_.nodes[repeat.first].name) +
            QStringLiteral("/%1/").arg(repeat.period);
    const RepeatCause& why = known_cause(repeat);
    g.title = QStringLiteral("×") + count_text(repeat.times) + QStringLiteral("  ") + why.text;
    g.detail = document_.place_text(why.place);
    g.parent = parent;
    g.repeat = repeat;
    return known->second = add(std::move(g));
  }

  // The same for all repeats that begin at the same instruction.
  const RepeatCause& known_cause(const GraphRepeat& repeat) {
    const SourceRef source = graph_.nodes[repeat.first].source;
    const auto [known, added] = causes_.try_emplace({uint64_t{source.code.value} << 32 | source.offset, repeat.period});
    if (added) known->second = cause_of(document_, graph_, repeat);
    return known->second;
  }

  // The child of `parent` that a node lies in: a group, or -1 for the node itself; -2 if it is not below `parent`.
  int child_below(size_t i, int parent) {
    int child = -1;
    for (int g = made_.of[i]; g != parent; g = group(g).parent) {
      if (g < 0) return -2;
      child = g;
    }
    return child;
  }

  struct Child {
    size_t first = 0, nodes = 0;  // a node, or the first of a group
    int group = -1;
  };

  // Puts the children of a crowded level together. Of a repeat only one piece is ever shown, so that counts.
  void split_level(int parent) {
    if (parent >= 0 && group(parent).nodes <= kMaxInLevel) return;
    std::vector<Child> children;
    std::map<int, size_t> at;
    const bool repeat = parent >= 0 && group(parent).kind == GraphGroup::Kind::kRepeat;
    if (repeat) return;  // its pieces are levels of their own size
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (!rules_.shown(i)) continue;
      const int child = child_below(i, parent);
      if (child == -2) continue;
      if (child < 0) {
        children.push_back({i, 1, -1});
        continue;
      }
      const auto [known, added] = at.try_emplace(child, children.size());
      if (added) children.push_back({i, 0, child});
      ++children[known->second].nodes;
    }
    if (children.size() <= kMaxInLevel) return;
    const std::vector<size_t> bounds = function_bounds(children);
    if (bounds.size() > 2 && bounds.size() <= kBlocksInLevel) {
      for (size_t b = 0; b + 1 < bounds.size(); ++b) put_together(children, bounds[b], bounds[b + 1], parent, true);
    } else {
      const size_t each = (children.size() + kBlocksInLevel - 1) / kBlocksInLevel;
      for (size_t from = 0; from < children.size(); from += each)
        put_together(children, from, std::min(children.size(), from + each), parent, false);
    }
  }

  // Positions at which the Python function that made the children changes.
  std::vector<size_t> function_bounds(const std::vector<Child>& children) const {
    std::vector<size_t> bounds;
    for (size_t c = 0; c < children.size(); ++c) {
      if (c == 0 || graph_.nodes[children[c].first].source.code != graph_.nodes[children[c - 1].first].source.code)
        bounds.push_back(c);
    }
    bounds.push_back(children.size());
    return bounds;
  }

  void put_together(const std::vector<Child>& children, size_t from, size_t to, int parent, bool function) {
    if (to - from < 3) return;
    GraphGroup g;
    g.kind = function ? GraphGroup::Kind::kFunction : GraphGroup::Kind::kBlock;
    const session::NodeRecord& first = graph_.nodes[children[from].first];
    g.key = rules_.prefix + QStringLiteral("≡") + q(first.name) + QStringLiteral("/%1/").arg(to - from);
    g.parent = parent;
    int low = 0, high = 0;
    session::FileId file;
    bool one_file = true;
    for (size_t c = from; c < to; ++c) {
      g.nodes += children[c].nodes;
      const SourcePlace at = document_.place(graph_.nodes[children[c].first].source);
      if (!at) continue;
      one_file &= !low || at.file == file;
      file = at.file;
      low = low ? std::min(low, at.line) : at.line;
      high = std::max(high, at.line);
    }
    const session::CodeRecord* code = document_.code(first.source.code);
    g.title = function && code ? q(code->qualname).section(QLatin1Char('.'), -1) + QStringLiteral("()")
                               : q(first.op) + QStringLiteral(" … ") + q(graph_.nodes[children[to - 1].first].op);
    if (low && one_file)
      g.detail =
          low == high ? QStringLiteral("line %1").arg(low) : QStringLiteral("lines %1–%2").arg(low).arg(high);
    const int made = add(std::move(g));
    for (size_t c = from; c < to; ++c) {
      if (children[c].group < 0) made_.of[children[c].first] = made;
      else group(children[c].group).parent = made;
    }
  }

  const Document& document_;
  const session::GraphRecord& graph_;
  const GroupingRules& rules_;
  GraphGroups made_;
  std::vector<std::string> names_;  // names for the rules, with scopes of a library's calls
  struct Library { QString title, detail; };
  std::map<std::string, Library> library_;  // keyed by scope; a title: a call
  std::set<std::string> scopes_;
  std::map<std::string, size_t> parts_;
  std::map<std::pair<int, std::string>, int> scope_groups_;
  std::map<size_t, int> repeat_groups_;
  std::map<std::pair<uint64_t, size_t>, RepeatCause> causes_;
  std::vector<GraphRepeat> repeats_;
  std::vector<std::string> shared_;  // for each repeat
  std::vector<size_t> open_;         // repeats around the node, the outermost first
  size_t next_ = 0;
};

}  // namespace

std::string common_scope(const std::vector<std::string>& names) {
  std::string common = names.empty() ? std::string() : names.front();
  const auto cut = [&common](size_t from) {
    const size_t slash = from ? common.find_last_of('/', from - 1) : std::string::npos;
    common.resize(slash == std::string::npos ? 0 : slash + 1);
  };
  cut(common.size());
  for (const std::string& name : names)
    while (!common.empty() && !name.starts_with(common)) cut(common.size() - 1);
  return common;
}

GraphGroups group_nodes(const Document& document, const session::GraphRecord& graph, const GroupingRules& rules) {
  return Grouper(document, graph, rules).make();
}

}  // namespace footlight::app
