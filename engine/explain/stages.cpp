// Changes come from files: what they name may be missing, and replacements may form cycles.
#include "engine/explain/stages.h"

#include "engine/base/text.h"
#include "engine/explain/node_hashes.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

namespace footlight::explain {
namespace {

using session::AloneNode;
using session::EdgeRecord;
using session::Fate;
using session::GraphChange;
using session::GraphRecord;
using session::NewNode;
using session::NodeRecord;

constexpr size_t kMaxNamed = 4;  // lines or ops in a sentence
constexpr size_t kMaxHops = 64;   // of nodes made for nodes that were made

uint64_t key_of(EdgeRecord e) { return uint64_t{e.from} << 16 | e.output; }

bool replaces(Fate fate) { return fate != Fate::kNothing && fate != Fate::kInserted && fate != Fate::kFusedWith; }

NodeRecord node_of(const NewNode& made) {
  NodeRecord node;
  node.id = made.id;
  node.name = made.name;
  node.op = made.op;
  node.family = made.family;
  node.inputs = made.inputs;
  node.outputs = made.outputs;
  node.attributes = made.attributes;
  node.constant = made.constant;
  node.source = made.source;
  node.functions = made.functions;
  return node;
}

class Stage {
 public:
  Stage(const GraphRecord& graph, size_t passes) : graph_(graph) {
    for (const NewNode& node : graph.new_nodes) new_nodes_.emplace(node.id, &node);
    for (const GraphChange& change : graph.changes) {
      if (change.pass >= passes) continue;
      if (change.fate == Fate::kInserted) {
        if (new_nodes_.contains(change.by)) before_[change.node].push_back(change.by);
      } else if (change.fate == Fate::kNothing) {
        removed_.insert(change.node);
      } else if (replaces(change.fate)) {
        instead_[key_of({change.node, change.output})] = {change.by, change.by_output};
      }
    }
  }

  GraphRecord make() {
    made_.id = graph_.id;
    made_.name = graph_.name;
    made_.inputs = graph_.inputs;
    std::vector<uint32_t> open;
    for (const NodeRecord& node : graph_.nodes) place_with_new(node, open);
    for (EdgeRecord e : graph_.outputs)
      if (e = resolve(e); !removed_.contains(e.from)) made_.outputs.push_back(e);
    add_origins();
    return std::move(made_);
  }

 private:
  EdgeRecord resolve(EdgeRecord e) {
    std::vector<uint64_t> passed;
    for (size_t hops = 0; hops <= instead_.size(); ++hops) {
      const auto next = instead_.find(key_of(e));
      if (next == instead_.end()) break;
      passed.push_back(next->first);
      e = next->second;
    }
    // So that a long row of replacements is walked once.
    for (const uint64_t key : passed)
      if (key != key_of(e)) instead_[key] = e;
    return e;
  }

  void place(NodeRecord node) {
    if (removed_.contains(node.id) || !placed_.insert(node.id).second) return;
    for (EdgeRecord& e : node.inputs) e = resolve(e);
    std::erase_if(node.control_inputs, [&](uint32_t from) { return removed_.contains(from); });
    made_.nodes.push_back(std::move(node));
  }

  // A node after those that were made for it, and theirs.
  void place_with_new(const NodeRecord& node, std::vector<uint32_t>& open) {
    open.assign(1, node.id);
    while (!open.empty()) {
      const uint32_t id = open.back();
      const auto earlier = before_.find(id);
      if (earlier != before_.end()) {
        open.insert(open.end(), earlier->second.rbegin(), earlier->second.rend());
        before_.erase(earlier);
        continue;
      }
      open.pop_back();
      const auto made = new_nodes_.find(id);
      if (id == node.id) place(node);
      else if (made != new_nodes_.end()) place(node_of(*made->second));
    }
  }

  void add_origins() {
    const GraphIndex index(made_);
    for (const GraphChange& change : graph_.changes) {
      if (!replaces(change.fate) || change.output != 0 || !instead_.contains(key_of({change.node, 0}))) continue;
      const size_t at = index.find(resolve({change.node, 0}).from);
      if (at < made_.nodes.size() && made_.nodes[at].id != change.node)
        made_.nodes[at].origins.push_back({graph_.id, NodeId(change.node)});
    }
  }

  const GraphRecord& graph_;
  GraphRecord made_;
  std::unordered_map<uint32_t, const NewNode*> new_nodes_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> before_;
  std::unordered_set<uint32_t> removed_, placed_;
  std::unordered_map<uint64_t, EdgeRecord> instead_;
};

std::string counted(size_t n, const char* one, const char* many) { return str(n, ' ', n == 1 ? one : many); }

// The call that traced a graph made its parameters, its results and what these wait for: their line is the caller's,
// not one of the function.
bool is_made_by_call(const GraphRecord& graph, const NodeRecord& node) {
  if (node.op == "Placeholder" || node.op == "NoOp") return true;
  return node.op == "Identity" &&
         std::ranges::find(graph.outputs, node.id, &session::EdgeRecord::from) != graph.outputs.end();
}

// "lines 12, 14 and 3 more"; "line 12, adam.py:241"
std::string lines_text(const GraphRecord& graph, const std::vector<const NodeRecord*>& nodes, const LineOf& line_of) {
  std::vector<NodeLine> lines;
  for (const NodeRecord* node : nodes) {
    if (is_made_by_call(graph, *node)) continue;
    if (NodeLine line = line_of(*node); line.line) lines.push_back(std::move(line));
  }
  std::ranges::sort(lines);
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  if (lines.empty()) return "";
  const auto own = static_cast<size_t>(std::ranges::count(lines, "", &NodeLine::file));  // they come first
  std::string text = own == 0 ? "" : own == 1 ? "line " : "lines ";
  for (size_t i = 0; i < lines.size() && i < kMaxNamed; ++i)
    text += str(i ? ", " : "", lines[i].file, lines[i].file.empty() ? "" : ":", lines[i].line);
  if (lines.size() > kMaxNamed) text += str(" and ", lines.size() - kMaxNamed, " more");
  return text;
}

// "3 Const, Mul": the most frequent ops first.
std::string ops_text(const std::vector<const NodeRecord*>& nodes) {
  std::map<std::string, size_t> count;
  for (const NodeRecord* node : nodes) ++count[node->op];
  std::vector<std::pair<std::string, size_t>> ops(count.begin(), count.end());
  std::ranges::stable_sort(ops, std::greater(), &std::pair<std::string, size_t>::second);
  std::string text;
  for (size_t i = 0; i < ops.size() && i < kMaxNamed; ++i)
    text += str(i ? ", " : "", ops[i].second > 1 ? str(ops[i].second, ' ') : "", ops[i].first);
  return ops.size() > kMaxNamed ? text + ", ..." : text;
}

std::string title_of(std::string pass) {
  std::ranges::replace(pass, '_', ' ');
  return pass;
}

// The nodes of a graph as traced, and those that passes made.
class AllNodes {
 public:
  explicit AllNodes(const GraphRecord& graph) : graph_(graph) {
    for (const NewNode& node : graph.new_nodes) made_.emplace(node.id, node_of(node));
    for (size_t i = 0; i < graph.nodes.size(); ++i)  // honest graphs number their nodes as they lie
      if (graph.nodes[i].id != i) elsewhere_.try_emplace(graph.nodes[i].id, i);
  }
  bool is_new(uint32_t id) const { return made_.contains(id); }
  const NodeRecord* find(uint32_t id) const {
    if (id < graph_.nodes.size() && graph_.nodes[id].id == id) return &graph_.nodes[id];
    if (const auto at = elsewhere_.find(id); at != elsewhere_.end()) return &graph_.nodes[at->second];
    const auto made = made_.find(id);
    return made == made_.end() ? nullptr : &made->second;
  }
  // The change by which another value took the place of the node's; null: none did.
  const GraphChange* replacement(uint32_t id) const {
    if (!replaced_) {
      replaced_.emplace();
      for (const GraphChange& change : graph_.changes)
        if (replaces(change.fate)) replaced_->try_emplace(change.node, &change);
    }
    const auto at = replaced_->find(id);
    return at == replaced_->end() ? nullptr : at->second;
  }
  // The nodes as traced that read it.
  const std::vector<uint32_t>& users(uint32_t id) const {
    static const std::vector<uint32_t> none;
    if (!users_) {
      users_.emplace();
      for (const NodeRecord& node : graph_.nodes)
        for (const EdgeRecord& input : node.inputs) (*users_)[input.from].push_back(node.id);
    }
    const auto at = users_->find(id);
    return at == users_->end() ? none : at->second;
  }

 private:
  const GraphRecord& graph_;
  mutable std::optional<std::unordered_map<uint32_t, const GraphChange*>> replaced_;
  mutable std::optional<std::unordered_map<uint32_t, std::vector<uint32_t>>> users_;
  std::unordered_map<uint32_t, size_t> elsewhere_;
  std::unordered_map<uint32_t, NodeRecord> made_;
};

std::string replaced_words(Fate fate, const NodeRecord* by) {
  const std::string name = by ? by->name : "another node";
  switch (fate) {
    case Fate::kConstant: return "became the constant " + (by ? by->constant : "");
    case Fate::kFused: return "became part of " + name;
    case Fate::kInput: return "its readers now read " + name;
    case Fate::kEqualNode: return "is the same as " + name + ", which is used instead";
    case Fate::kHoisted: return "runs once, before the loop, which is given its value";
    case Fate::kInlined: return "the nodes of its graph run in its place, up to " + name;
    case Fate::kRewritten: return "runs as " + name;
    case Fate::kFusedWith: return "fused with " + name;
    case Fate::kNothing:
    case Fate::kInserted: break;
  }
  return "removed: nothing uses it";
}

// Why a node is gone: another value took its place, or that of each node that read it; else nothing uses it. One whose
// readers run before the loop moved with them.
void say_why_gone(const AllNodes& nodes, NodeStep& step) {
  step.words = replaced_words(Fate::kNothing, nullptr);
  if (const GraphChange* own = nodes.replacement(step.node)) {
    const NodeRecord* by = nodes.find(own->by);
    step.words = own->fate == Fate::kHoisted ? "removed from the loop, before which it runs"
                                             : "removed: " + (by ? by->name : "another node") + " is used instead";
    return;
  }
  uint32_t at = step.node;
  const NodeRecord* reader = nullptr;
  const GraphChange* change = nullptr;
  for (size_t hops = 0; hops < kMaxHops && !change; ++hops) {
    const std::vector<uint32_t>& users = nodes.users(at);
    if (users.empty()) return;
    const auto replaced = std::ranges::find_if(users, [&](uint32_t user) { return nodes.replacement(user); });
    at = replaced == users.end() ? users.front() : *replaced;
    if (!reader) reader = nodes.find(at);
    change = nodes.replacement(at);
  }
  const NodeRecord *node = nodes.find(step.node), *last = nodes.find(at);
  if (!change || !reader || !last || !node) return;
  if (change->fate == Fate::kHoisted && node->op != "Placeholder") {
    step.fate = Fate::kHoisted;
    step.words = "moved before the loop with " + last->name + ", which needs it";
  } else if (change->fate == Fate::kHoisted) {
    step.words = "removed: " + last->name + ", which needed it, moved before the loop";
  } else if (change->fate == Fate::kConstant) {
    const NodeRecord* by = nodes.find(change->by);
    step.words = "removed: " + last->name + ", which needed it, " + replaced_words(change->fate, by);
  }
}

// The nodes of which a pass replaced some values but not all, with the number of replaced values by fate. Such a node
// stays in the graph.
using Results = std::map<std::pair<uint32_t, Fate>, size_t>;
Results replaced_results(const GraphRecord& graph, size_t pass, const AllNodes& nodes) {
  std::map<uint32_t, std::set<uint16_t>> outputs;
  Results results;
  std::unordered_set<uint32_t> gone;
  for (const GraphChange& change : graph.changes) {
    if (change.pass == pass && change.fate == Fate::kNothing) gone.insert(change.node);
    const Fate fate = change.fate;
    const bool by_value = fate == Fate::kConstant || fate == Fate::kInput || fate == Fate::kEqualNode;
    if (change.pass != pass || !by_value || !outputs[change.node].insert(change.output).second) continue;
    ++results[{change.node, fate}];
  }
  std::erase_if(results, [&](const auto& each) {
    const uint32_t id = each.first.first;
    const NodeRecord* node = nodes.find(id);
    return gone.contains(id) || !node || outputs[id].size() >= node->outputs.size();
  });
  return results;
}

NodeStep step_of(const GraphRecord& graph, const AllNodes& nodes, const GraphChange& change) {
  NodeStep step{change.node, title_of(graph.passes[change.pass]), "", {}, change.fate};
  // A node that is gone, with a new one that stands for it.
  const bool in_place = change.fate == Fate::kNothing && nodes.is_new(change.by);
  if (in_place) step.fate = Fate::kInlined;
  const NodeRecord* own = step.fate == Fate::kConstant ? nodes.find(change.node) : nullptr;
  if (own && own->op == "Const") step.fate = Fate::kEqualNode;  // as older recordings say of two equal constants
  const bool names = replaces(step.fate) || step.fate == Fate::kFusedWith;
  const NodeRecord* by = names ? nodes.find(change.by) : nullptr;
  const NodeRecord* node = in_place ? nodes.find(change.node) : nullptr;
  if (node && by && node->op == by->op) step.fate = Fate::kRewritten;
  if (by) step.by = by->id;
  if (step.fate == Fate::kNothing) say_why_gone(nodes, step);
  else step.words = replaced_words(step.fate, by);
  return step;
}

std::string words_of(const AloneNode& node) { return "runs alone, because " + node.why; }

}  // namespace

size_t pass_count(const GraphRecord& graph) { return std::min<size_t>(graph.passes.size(), 64); }

std::vector<std::string> stage_names(const GraphRecord& graph) {
  std::vector<std::string> names{"traced"};
  std::map<std::string, size_t> seen;
  for (size_t i = 0; i < pass_count(graph); ++i) {
    const std::string& pass = graph.passes[i];
    const size_t number = ++seen[pass];
    names.push_back(number > 1 ? str(pass, number) : pass);
  }
  return names;
}

std::optional<size_t> stage_named(const GraphRecord& graph, std::string_view name) {
  if (name == "last") return pass_count(graph);
  const std::vector<std::string> names = stage_names(graph);
  const auto at = std::ranges::find(names, name);
  if (at == names.end()) return std::nullopt;
  return static_cast<size_t>(at - names.begin());
}

void leave_out_idle_passes(std::span<GraphRecord> graphs) {
  size_t count = 0;
  for (const GraphRecord& graph : graphs) count = std::max(count, pass_count(graph));
  std::vector<bool> busy(count, false);
  for (const GraphRecord& graph : graphs) {
    for (const GraphChange& change : graph.changes)
      if (change.pass < pass_count(graph)) busy[change.pass] = true;
    for (const AloneNode& node : graph.alone)
      if (node.pass < pass_count(graph)) busy[node.pass] = true;
  }
  if (count && std::ranges::find(busy, true) == busy.end()) busy.back() = true;
  std::vector<uint16_t> number(count, 0);  // among those that stay
  for (size_t i = 1; i < count; ++i) number[i] = static_cast<uint16_t>(number[i - 1] + busy[i - 1]);
  for (GraphRecord& graph : graphs) {
    std::vector<std::string> passes;
    for (size_t i = 0; i < pass_count(graph); ++i)
      if (busy[i]) passes.push_back(std::move(graph.passes[i]));
    std::erase_if(graph.changes, [&](const GraphChange& change) { return change.pass >= pass_count(graph); });
    for (GraphChange& change : graph.changes) change.pass = number[change.pass];
    std::erase_if(graph.alone, [&](const AloneNode& node) { return node.pass >= pass_count(graph); });
    for (AloneNode& node : graph.alone) node.pass = number[node.pass];
    graph.passes = std::move(passes);
  }
}

GraphRecord graph_after(const GraphRecord& graph, size_t passes) { return Stage(graph, passes).make(); }

const GraphRecord* GraphsAfter::operator()(GraphId id) const {
  const GraphRecord* graph = find_(id);
  if (!passes_ || !graph || graph->changes.empty()) return graph;
  const auto made = made_.find(id);
  return made != made_.end() ? &made->second : &made_.emplace(id, graph_after(*graph, passes_)).first->second;
}

std::vector<size_t> changed_by_passes(const GraphRecord& graph) {
  std::vector<size_t> count(pass_count(graph), 0);
  std::unordered_set<uint64_t> seen;
  for (const GraphChange& change : graph.changes)
    if (change.pass < count.size() && change.fate != Fate::kInserted &&
        seen.insert(uint64_t{change.pass} << 32 | change.node).second)
      ++count[change.pass];
  return count;
}

std::string what_pass_did(const GraphRecord& graph, size_t pass, const LineOf& line_of) {
  if (pass >= pass_count(graph)) return "";
  const AllNodes all(graph);
  std::map<Fate, std::vector<const NodeRecord*>> became;
  const Results results = replaced_results(graph, pass, all);
  for (const NodeStep& step : steps_in(graph, pass))
    if (const NodeRecord* node = all.find(step.node); node && !results.contains({step.node, step.fate}))
      became[step.fate].push_back(node);
  const auto details = [&](const std::vector<const NodeRecord*>& nodes) {
    const std::string lines = lines_text(graph, nodes, line_of);
    return str(" (", ops_text(nodes), lines.empty() ? "" : "; ", lines, ')');
  };
  std::string text = title_of(graph.passes[pass]) + ": ";
  bool first = true;
  for (const auto& [fate, nodes] : became) {
    if (!first) text += "; ";
    first = false;
    text += counted(nodes.size(), "node", "nodes");
    const bool one = nodes.size() == 1;
    switch (fate) {
      case Fate::kConstant: text += one ? " became a constant" : " became constants"; break;
      case Fate::kFused: text += one ? " became part of another" : " became parts of others"; break;
      case Fate::kInput: text += one ? " was replaced by its input" : " were replaced by their inputs"; break;
      case Fate::kEqualNode: text += one ? " was replaced by an equal one" : " were replaced by equal ones"; break;
      case Fate::kHoisted: text += one ? " moved out of its loop" : " moved out of their loops"; break;
      case Fate::kInlined:
        text += one ? " was replaced by the nodes of its graph" : " were replaced by the nodes of their graphs";
        break;
      case Fate::kRewritten: text += one ? " runs as another" : " run as others"; break;
      case Fate::kFusedWith: text += one ? " was fused with others" : " were fused with others"; break;
      case Fate::kNothing:
      case Fate::kInserted: text += one ? " that nothing uses was removed" : " that nothing uses were removed"; break;
    }
    text += details(nodes);
  }
  std::map<Fate, std::pair<size_t, std::vector<const NodeRecord*>>> partly;
  for (const auto& [of, count] : results) {
    partly[of.second].first += count;
    partly[of.second].second.push_back(all.find(of.first));
  }
  for (const auto& [fate, found] : partly) {
    const auto& [count, nodes] = found;
    text += str(first ? "" : "; ", counted(count, "result of ", "results of "), counted(nodes.size(), "node", "nodes"),
                nodes.size() == 1 ? ", which stays, " : ", which stay, ", count == 1 ? "was" : "were",
                fate == Fate::kConstant ? " replaced by constants"
                : fate == Fate::kInput  ? " replaced by inputs"
                                        : " replaced by equal values",
                details(nodes));
    first = false;
  }
  std::map<std::string_view, std::vector<const NodeRecord*>> alone;  // by reason
  for (const AloneNode& each : graph.alone)
    if (const NodeRecord* node = each.pass == pass ? all.find(each.node) : nullptr) alone[each.why].push_back(node);
  if (became.empty() && partly.empty()) text += "nothing to do";
  for (const auto& [why, nodes] : alone)
    text += str("; ", counted(nodes.size(), "node runs", "nodes run"), " alone, ", nodes.size() > 1 ? "each " : "",
                "because ", why, details(nodes));
  return text;
}

std::vector<NodeStep> steps_of(const GraphRecord& graph, uint32_t node) {
  std::vector<NodeStep> steps;
  std::optional<AllNodes> nodes;
  for (const GraphChange& change : graph.changes) {
    if (change.node != node || change.fate == Fate::kInserted || change.pass >= pass_count(graph)) continue;
    if (!nodes) nodes.emplace(graph);
    NodeStep step = step_of(graph, *nodes, change);
    // One whose values were replaced first is told once.
    const bool told = change.fate == Fate::kNothing && step.fate != change.fate && !steps.empty() &&
                      steps.back().pass == step.pass;
    if (!told) steps.push_back(std::move(step));
  }
  return steps;
}

std::vector<NodeStep> steps_in(const GraphRecord& graph, size_t pass) {
  std::vector<NodeStep> steps;
  if (pass >= pass_count(graph)) return steps;
  const AllNodes nodes(graph);
  std::unordered_set<uint32_t> seen;
  for (const GraphChange& change : graph.changes)
    if (change.pass == pass && change.fate != Fate::kInserted && seen.insert(change.node).second)
      steps.push_back(step_of(graph, nodes, change));
  return steps;
}

std::vector<AloneStep> alone_in(const GraphRecord& graph, size_t pass) {
  std::vector<AloneStep> steps;
  if (pass >= pass_count(graph)) return steps;
  for (const AloneNode& each : graph.alone)
    if (each.pass == pass) steps.push_back({each.node, title_of(graph.passes[pass]), words_of(each)});
  return steps;
}

uint32_t runs_as(const GraphRecord& graph, uint32_t node) {
  for (const GraphChange& change : graph.changes)  // in their order
    if (change.node == node && change.output == 0 && change.fate == Fate::kRewritten) node = change.by;
  return node;
}

std::optional<AloneStep> alone_step(const GraphRecord& graph, uint32_t node) {
  if (graph.alone.empty()) return {};
  const auto at = std::ranges::find(graph.alone, runs_as(graph, node), &AloneNode::node);
  if (at == graph.alone.end() || at->pass >= pass_count(graph)) return {};
  return AloneStep{node, title_of(graph.passes[at->pass]), words_of(*at)};
}

uint32_t traced_node(const GraphRecord& graph, uint32_t node) {
  // The node that it replaces, else the one that it was inserted before, which passes may have made too.
  for (size_t hops = 0; hops < kMaxHops; ++hops) {
    const bool made = std::ranges::any_of(graph.new_nodes, [&](const NewNode& n) { return n.id == node; });
    if (!made) break;
    const GraphChange* best = nullptr;
    for (const GraphChange& change : graph.changes)
      if (change.by == node && change.fate != Fate::kNothing && (!best || best->fate == Fate::kInserted))
        best = &change;
    if (!best) break;
    node = best->node;
  }
  return node;
}

}  // namespace footlight::explain
