// Compares matched nodes member by member. An input that comes from an unmatched node is no change of its own: that
// node is reported.
#include "engine/explain/graph_diff.h"

#include "engine/explain/words.h"

#include <algorithm>
#include <map>

namespace footlight::explain {
namespace {

using session::EdgeRecord;
using session::GraphRecord;
using session::NodeRecord;

constexpr size_t kMaxChanges = 16;    // listed for one node
constexpr size_t kMaxPairs = 10'000;  // of graphs that call each other; a file may name more than anybody can compare

std::string counted(size_t n, const char* one, const char* many) {
  return with_commas(n) + ' ' + (n == 1 ? one : many);
}

bool is_size(const NodeChange& c) {
  return c.value && (c.kind == ChangeKind::kOutput ||
                     (c.kind == ChangeKind::kAttribute && (c.left.starts_with('(') || c.left.starts_with("[("))));
}

class Compared {
 public:
  Compared(const GraphIndex& left, const GraphIndex& right, const NodeMatch& match)
      : left_(left), right_(right), match_(match), argument_left_(arguments(left)), argument_right_(arguments(right)) {}

  std::vector<NodeChange> changes(uint32_t l, uint32_t r) const {
    const NodeRecord &a = left_.graph().nodes[l], &b = right_.graph().nodes[r];
    std::vector<NodeChange> found;
    attributes(a, b, found);
    const bool unknown = is_cut_off(a.constant) && &a != &b;
    if (a.constant != b.constant || unknown)
      found.push_back({ChangeKind::kConstant, "value", a.constant, b.constant, true});
    outputs(a, b, found);
    edges(a.inputs, b.inputs, "input", found);
    controls(a, b, found);
    if (argument_left_[l] != argument_right_[r])
      found.push_back({ChangeKind::kArgument, "argument", place(argument_left_[l]), place(argument_right_[r])});
    return found;
  }

  std::vector<NodeChange> results() const {
    const auto &a = left_.graph().outputs, &b = right_.graph().outputs;
    std::vector<NodeChange> found;
    edges(a, b, "result", found);
    return found;
  }

 private:
  static std::vector<size_t> arguments(const GraphIndex& index) {
    std::vector<size_t> place(index.size(), 0);  // from 1
    const auto& inputs = index.graph().inputs;
    for (size_t k = 0; k < inputs.size(); ++k)
      if (const size_t at = index.find(inputs[k]); at < index.size() && !place[at]) place[at] = k + 1;
    return place;
  }
  static std::string place(size_t argument) { return argument ? std::to_string(argument - 1) : "none"; }

  static void attributes(const NodeRecord& a, const NodeRecord& b, std::vector<NodeChange>& found) {
    std::map<std::string_view, std::pair<const std::string_view*, const std::string_view*>> by_name;
    const std::vector<AttributeText> left = compared_attributes(a.attributes);
    const std::vector<AttributeText> right = compared_attributes(b.attributes);
    for (const AttributeText& one : left) by_name[one.name].first = &one.value;
    for (const AttributeText& one : right) by_name[one.name].second = &one.value;
    const auto is_function = [](const NodeRecord& n, std::string_view name) {
      return std::any_of(n.functions.begin(), n.functions.end(), [&](const auto& f) { return f.attribute == name; });
    };
    for (const auto& [name, values] : by_name) {
      if (is_function(a, name) || is_function(b, name)) continue;
      const auto [x, y] = values;
      if (x && y && *x == *y) continue;
      NodeChange c{ChangeKind::kAttribute, std::string(name), x ? std::string(*x) : "", y ? std::string(*y) : ""};
      c.value = x && y && without_values(name, *x) == without_values(name, *y);
      if (found.size() < kMaxChanges) found.push_back(std::move(c));
    }
  }

  static void outputs(const NodeRecord& a, const NodeRecord& b, std::vector<NodeChange>& found) {
    const size_t count = std::max(a.outputs.size(), b.outputs.size());
    for (size_t k = 0; k < count && found.size() < kMaxChanges; ++k) {
      const std::string x = k < a.outputs.size() ? a.outputs[k] : "", y = k < b.outputs.size() ? b.outputs[k] : "";
      if (x == y) continue;
      found.push_back({ChangeKind::kOutput, count == 1 ? "output" : "output " + std::to_string(k), x, y,
                       without_sizes(x) == without_sizes(y)});
    }
  }

  // Whether two positions hold each other's match, or nodes that are reported themselves.
  bool agree(size_t l, size_t r) const {
    const bool known_left = l < left_.size(), known_right = r < right_.size();
    if (!known_left && !known_right) return true;
    if (known_left && known_right && match_.right_of[l] == r) return true;
    return (known_left && match_.right_of[l] == kNoNode) || (known_right && match_.left_of[r] == kNoNode);
  }

  static std::string name(const GraphIndex& index, EdgeRecord e) {
    const size_t at = index.find(e.from);
    if (at == index.size()) return "missing";
    const std::string& text = index.graph().nodes[at].name;
    return e.output ? text + ':' + std::to_string(e.output) : text;
  }

  void edges(const std::vector<EdgeRecord>& a, const std::vector<EdgeRecord>& b, const std::string& what,
             std::vector<NodeChange>& found) const {
    if (a.size() != b.size()) {
      found.push_back({ChangeKind::kInput, what + 's', std::to_string(a.size()), std::to_string(b.size())});
      return;
    }
    for (size_t k = 0; k < a.size() && found.size() < kMaxChanges; ++k) {
      const size_t l = left_.find(a[k].from), r = right_.find(b[k].from);
      const bool matched = l < left_.size() && match_.right_of[l] == r;
      if (matched ? a[k].output == b[k].output : agree(l, r)) continue;
      found.push_back({ChangeKind::kInput, a.size() == 1 ? what : what + ' ' + std::to_string(k), name(left_, a[k]),
                       name(right_, b[k])});
    }
  }

  void controls(const NodeRecord& a, const NodeRecord& b, std::vector<NodeChange>& found) const {
    std::map<uint32_t, int> balance;  // by left position: more often on the left, or on the right
    size_t free_left = 0, free_right = 0;
    for (uint32_t c : a.control_inputs) {
      const size_t at = left_.find(c);
      if (at < left_.size() && match_.right_of[at] != kNoNode) ++balance[static_cast<uint32_t>(at)];
      else ++free_left;
    }
    for (uint32_t c : b.control_inputs) {
      const size_t at = right_.find(c);
      if (at < right_.size() && match_.left_of[at] != kNoNode) --balance[match_.left_of[at]];
      else ++free_right;
    }
    std::vector<std::string> left, right;
    for (const auto& [at, more] : balance) {
      if (more == 0 || left.size() + right.size() == kMaxChanges) continue;
      (more > 0 ? left : right).push_back(left_.graph().nodes[at].name);
    }
    // As with inputs: one instead of an unmatched node is no change of its own.
    if (left.size() > free_right || right.size() > free_left)
      found.push_back({ChangeKind::kControls, "control inputs", joined(left, ", "), joined(right, ", ")});
  }

  const GraphIndex &left_, &right_;
  const NodeMatch& match_;
  std::vector<size_t> argument_left_, argument_right_;
};

class Differ {
 public:
  Differ(const DiffSide& left, const DiffSide& right, const GoOn& go_on)
      : left_(left), right_(right), go_on_(go_on), left_prints_(left.graph), right_prints_(right.graph) {}

  GraphDiff run(GraphId a, GraphId b) {
    find(a, b, 0, kNoNode, {});
    for (size_t at = 0; at < diff_.pairs.size(); ++at) compare(at);
    mark_callers();
    count();
    return std::move(diff_);
  }

 private:
  // The pair of these graphs; npos: one is not recorded.
  size_t find(GraphId a, GraphId b, size_t owner, uint32_t owner_left, const std::string& role) {
    if (!left_.graph(a) || !right_.graph(b)) return SIZE_MAX;
    const auto known = known_.find({a, b});
    if (known != known_.end()) return known->second;
    if (diff_.pairs.size() == kMaxPairs) return SIZE_MAX;
    const size_t at = diff_.pairs.size();
    known_.emplace(std::pair(a, b), at);
    diff_.pairs.push_back({a, b, owner, owner_left, role, {}, {}, {}, {}});
    return at;
  }

  void compare(size_t at) {
    const GraphRecord &a = *left_.graph(diff_.pairs[at].left), &b = *right_.graph(diff_.pairs[at].right);
    const GraphIndex left(a), right(b);
    const NodeMatch match = match_nodes({left, left_prints_, left_.line}, {right, right_prints_, right_.line}, go_on_);
    const Compared compared(left, right, match);
    diff_.pairs[at].results = compared.results();

    // Each only-right node follows the nearest node before it that is matched.
    std::vector<std::vector<uint32_t>> after(a.nodes.size() + 1);
    size_t previous = a.nodes.size();
    for (uint32_t r = 0; r < b.nodes.size(); ++r) {
      if (match.left_of[r] != kNoNode) previous = match.left_of[r];
      else after[previous].push_back(r);
    }
    std::vector<NodeDiff> nodes;
    const auto add_right = [&](size_t place) {
      for (uint32_t r : after[place]) nodes.push_back({NodeState::kOnlyRight, kNoNode, r, {}});
    };
    add_right(a.nodes.size());
    for (uint32_t l = 0; l < a.nodes.size(); ++l) {
      NodeDiff node{NodeState::kOnlyLeft, l, match.right_of[l], {}};
      if (node.right != kNoNode) {
        node.changes = compared.changes(l, node.right);
        functions(at, a.nodes[l], b.nodes[node.right], l, node.changes);
        node.state = node.changes.empty() ? NodeState::kSame : NodeState::kChanged;
      }
      nodes.push_back(std::move(node));
      add_right(l);
    }
    GraphPair& pair = diff_.pairs[at];
    pair.nodes = std::move(nodes);
    pair.of_left.resize(a.nodes.size());
    pair.of_right.resize(b.nodes.size());
    for (uint32_t i = 0; i < pair.nodes.size(); ++i) {
      if (pair.nodes[i].left != kNoNode) pair.of_left[pair.nodes[i].left] = i;
      if (pair.nodes[i].right != kNoNode) pair.of_right[pair.nodes[i].right] = i;
    }
    for (NodeDiff& node : pair.nodes) node.follows = follows(pair, left, node);
  }

  void functions(size_t at, const NodeRecord& a, const NodeRecord& b, uint32_t l, std::vector<NodeChange>& changes) {
    const auto partner = [](const NodeRecord& n, size_t k, const std::string& role) {
      if (k < n.functions.size() && n.functions[k].attribute == role) return &n.functions[k];
      const auto f = std::find_if(n.functions.begin(), n.functions.end(),
                                  [&](const auto& one) { return one.attribute == role; });
      return f == n.functions.end() ? nullptr : &*f;
    };
    for (size_t k = 0; k < a.functions.size(); ++k) {
      const auto& [role, inner] = a.functions[k];
      const session::NodeFunction* other = partner(b, k, role);
      if (!other) {
        changes.push_back({ChangeKind::kAttribute, role, "a graph", ""});
        continue;
      }
      const size_t callee = find(inner, other->graph, at, l, role);
      if (callee == SIZE_MAX) ++diff_.not_recorded;
      else callers_[callee].push_back({at, l, role});
    }
    for (size_t k = 0; k < b.functions.size(); ++k)
      if (!partner(a, k, b.functions[k].attribute))
        changes.push_back({ChangeKind::kAttribute, b.functions[k].attribute, "", "a graph"});
  }

  static bool follows(const GraphPair& pair, const GraphIndex& left, const NodeDiff& node) {
    const auto& own = node.changes;
    if (node.state != NodeState::kChanged || !std::all_of(own.begin(), own.end(), is_size)) return false;
    const auto& inputs = left.graph().nodes[node.left].inputs;
    return std::any_of(inputs.begin(), inputs.end(), [&](EdgeRecord e) {
      const size_t source = left.find(e.from);
      if (source == left.size()) return false;
      const auto& changes = pair.nodes[pair.of_left[source]].changes;
      return std::any_of(changes.begin(), changes.end(),
                         [](const NodeChange& c) { return is_size(c) || c.kind == ChangeKind::kConstant; });
    });
  }

  // A node that calls graphs with differences is changed, and so is one that calls its graph.
  void mark_callers() {
    std::vector<size_t> open;
    std::vector<uint8_t> seen(diff_.pairs.size(), 0);
    for (size_t at = 0; at < diff_.pairs.size(); ++at) {
      const GraphPair& pair = diff_.pairs[at];
      const auto differs = [](const NodeDiff& n) { return n.state != NodeState::kSame; };
      if (pair.results.empty() && std::none_of(pair.nodes.begin(), pair.nodes.end(), differs)) continue;
      open.push_back(at);
      seen[at] = 1;
    }
    while (!open.empty()) {
      const size_t callee = open.back();
      open.pop_back();
      for (const Caller& c : callers_[callee]) {
        GraphPair& pair = diff_.pairs[c.pair];
        NodeDiff& node = pair.nodes[pair.of_left[c.left]];
        node.state = NodeState::kChanged;
        node.changes.push_back({ChangeKind::kBody, c.role, "", ""});
        if (!seen[c.pair]) open.push_back(c.pair), seen[c.pair] = 1;
      }
    }
  }

  void count() {
    DiffCounts& sum = diff_.counts;
    size_t constants = 0, attributes = 0, sizes = 0, following = 0;
    bool values_only = true;
    std::vector<std::string> what, less;
    for (const GraphPair& pair : diff_.pairs) {
      sum.results += pair.results.size();
      const GraphRecord& graph = *left_.graph(pair.left);
      for (const NodeDiff& node : pair.nodes) {
        sum.only_left += node.state == NodeState::kOnlyLeft;
        sum.only_right += node.state == NodeState::kOnlyRight;
        if (node.state != NodeState::kChanged || !node.own()) {
          sum.same += node.left != kNoNode && node.right != kNoNode;
          continue;
        }
        ++sum.changed;
        const auto is_constant = [](const NodeChange& c) { return c.kind == ChangeKind::kConstant; };
        const auto& changes = node.changes;
        values_only &= std::all_of(changes.begin(), changes.end(),
                                   [](const NodeChange& c) { return c.value || c.kind == ChangeKind::kBody; });
        if (node.follows) ++following;
        else if (std::any_of(changes.begin(), changes.end(), is_constant)) ++constants;
        else if (std::all_of(changes.begin(), changes.end(), is_size)) ++sizes;
        else ++attributes;
        const NodeChange& first =
            *std::find_if(changes.begin(), changes.end(), [](const auto& c) { return c.kind != ChangeKind::kBody; });
        auto& list = node.follows ? less : what;
        const std::string text = phrase(first) + " of " + graph.nodes[node.left].op;
        if (list.size() <= 3 && std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
      }
    }
    what.insert(what.end(), less.begin(), less.end());
    diff_.sentence = sentence(values_only, constants, attributes, sizes, following, what);
  }

  static std::string phrase(const NodeChange& c) {
    switch (c.kind) {
      case ChangeKind::kOutput: return c.value ? "shape" : "output";
      case ChangeKind::kInput: return "inputs";
      case ChangeKind::kArgument: return "place";
      default: return c.what;
    }
  }

  std::string sentence(bool values_only, size_t constants, size_t attributes, size_t sizes, size_t following,
                       std::vector<std::string> what) const {
    const DiffCounts& sum = diff_.counts;
    std::vector<std::string> parts;
    std::string text;
    if (!sum.changed && !sum.only_left && !sum.only_right && !sum.results) {
      text = "identical graphs";
    } else if (values_only && !sum.only_left && !sum.only_right && !sum.results) {
      if (constants) parts.push_back(counted(constants, "constant", "constants"));
      if (attributes) parts.push_back(counted(attributes, "attribute", "attributes"));
      if (sizes + following) {
        const size_t named = sizes ? sizes : following;
        parts.push_back("the shapes of " + counted(named, "node", "nodes") +
                        (sizes && following ? " (" + counted(following, "other follows", "others follow") + ")" : ""));
      }
      text = "the graphs differ only in " + parts.front();
      for (size_t i = 1; i < parts.size(); ++i) text += (i + 1 == parts.size() ? " and " : ", ") + parts[i];
    } else {
      if (sum.changed) {
        const bool more = what.size() > 3;
        what.resize(std::min<size_t>(what.size(), 3));
        if (more) what.push_back("…");
        parts.push_back(counted(sum.changed, "node", "nodes") + " changed (" + joined(what, ", ") + ")");
      }
      const auto only = [&](size_t n, const char* where) {
        if (n) parts.push_back((parts.empty() ? counted(n, "node", "nodes") : std::to_string(n)) + where);
      };
      only(sum.only_left, " only on the left");
      only(sum.only_right, " only on the right");
      if (sum.results) parts.push_back(counted(sum.results, "result comes", "results come") + " from elsewhere");
      text = joined(parts, ", ");
    }
    if (diff_.not_recorded)
      text += "; " + counted(diff_.not_recorded, "called graph was", "called graphs were") + " not recorded";
    return text;
  }

  struct Caller {
    size_t pair;
    uint32_t left;
    std::string role;
  };
  const DiffSide &left_, &right_;
  const GoOn& go_on_;
  Fingerprints left_prints_, right_prints_;
  std::map<std::pair<GraphId, GraphId>, size_t> known_;
  std::map<size_t, std::vector<Caller>> callers_;
  GraphDiff diff_;
};

}  // namespace

const char* name_of(NodeState state) {
  switch (state) {
    case NodeState::kSame: return "same";
    case NodeState::kChanged: return "changed";
    case NodeState::kOnlyLeft: return "only left";
    case NodeState::kOnlyRight: break;
  }
  return "only right";
}

const char* name_of(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kAttribute: return "attribute";
    case ChangeKind::kConstant: return "constant";
    case ChangeKind::kOutput: return "output";
    case ChangeKind::kInput: return "input";
    case ChangeKind::kControls: return "control inputs";
    case ChangeKind::kArgument: return "argument";
    case ChangeKind::kBody: break;
  }
  return "graph";
}

bool NodeDiff::own() const {
  return state != NodeState::kChanged ||
         std::any_of(changes.begin(), changes.end(), [](const auto& c) { return c.kind != ChangeKind::kBody; });
}

std::vector<std::pair<size_t, size_t>> GraphDiff::differences() const {
  std::vector<std::pair<size_t, size_t>> found;
  for (size_t p = 0; p < pairs.size(); ++p)
    for (size_t n = 0; n < pairs[p].nodes.size(); ++n)
      if (pairs[p].nodes[n].state != NodeState::kSame && pairs[p].nodes[n].own()) found.push_back({p, n});
  return found;
}

GraphDiff diff_graphs(const DiffSide& left, GraphId a, const DiffSide& right, GraphId b, const GoOn& go_on) {
  return Differ(left, right, go_on).run(a, b);
}

std::string words(const NodeChange& change) {
  if (change.kind == ChangeKind::kBody) return change.what + " differs inside";
  const auto shown = [](const std::string& text) { return text.empty() ? std::string("none") : text; };
  if (change.left == change.right) return change.what + " may differ beyond what was recorded";
  return change.what + ' ' + shown(change.left) + " → " + shown(change.right);
}

}  // namespace footlight::explain
