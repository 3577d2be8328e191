// Walks over graphs of one structure, which have the same nodes in the same order unless they were made otherwise.
#include "engine/explain/graph_pairs.h"

#include "engine/explain/graph_diff.h"
#include "engine/explain/words.h"

#include <algorithm>
#include <set>

namespace footlight::explain {
namespace {

using session::GraphRecord;
using session::NodeRecord;
using session::TraceRecord;

constexpr int kDeepest = 8;            // graphs within graphs
constexpr size_t kMaxNodes = 20'000;   // of two graphs that are compared node by node
constexpr size_t kMaxOfGroup = 256;    // traces of a group whose keys are compared,
constexpr size_t kMaxNeighbours = 16;  // each with that many after it

// In which kinds of values graphs of one structure differ.
struct Kinds {
  bool constants = false, attributes = false, shapes = false;
  bool ordered = true;  // false: their nodes stand in another order, so more may differ
  size_t count() const { return size_t{constants} + attributes + shapes; }
  std::set<std::pair<GraphId, GraphId>> seen = {};  // pairs that were walked over: graphs may share what they call
};

void add_kinds(const Evidence& evidence, GraphId a, GraphId b, Kinds& kinds, int depth = 0) {
  const GraphRecord *x = evidence.graph(a), *y = evidence.graph(b);
  if (!x || !y || depth > kDeepest || a == b || !kinds.seen.emplace(a, b).second) return;
  if (x->nodes.size() != y->nodes.size()) {
    kinds.ordered = false;
    return;
  }
  for (size_t i = 0; i < x->nodes.size(); ++i) {
    const NodeRecord &m = x->nodes[i], &n = y->nodes[i];
    if (m.op != n.op || m.functions.size() != n.functions.size()) {
      kinds.ordered = false;
      return;
    }
    kinds.constants |= m.constant != n.constant;
    kinds.shapes |= m.outputs != n.outputs;
    if (m.attributes != n.attributes) {
      const auto left = compared_attributes(m.attributes), right = compared_attributes(n.attributes);
      for (size_t k = 0; k < std::min(left.size(), right.size()); ++k) {
        const bool function =
            std::ranges::any_of(m.functions, [&](const auto& f) { return f.attribute == left[k].name; });
        if (function || left[k].value == right[k].value) continue;
        const bool size = left[k].value.starts_with('(') || left[k].value.starts_with("[(");
        (size ? kinds.shapes : kinds.attributes) = true;
      }
    }
    for (size_t k = 0; k < m.functions.size(); ++k)
      add_kinds(evidence, m.functions[k].graph, n.functions[k].graph, kinds, depth + 1);
  }
}

std::string words_of(const Kinds& kinds) {
  std::vector<std::string> names;
  if (kinds.constants) names.push_back("constants");
  if (kinds.attributes) names.push_back("attributes");
  if (kinds.shapes) names.push_back("shapes");
  if (!kinds.ordered || names.empty()) return "values";
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : joined(names, ", ") + " and " + last;
}

std::string difference_of(const Evidence& evidence, const TraceRecord& left, const TraceRecord& right) {
  const GraphRecord *a = evidence.graph(left.graph()), *b = evidence.graph(right.graph());
  if (!a || !b || a->nodes.size() + b->nodes.size() > kMaxNodes) return {};
  const DiffSide side{[&](GraphId id) { return evidence.graph(id); },
                      [&](const NodeRecord& node) {
                        const Line at = evidence.line(node.source);
                        return at ? uint64_t{at.file.value} << 32 | static_cast<uint32_t>(at.line) : 0;
                      }};
  std::string text = diff_graphs(side, a->id, side, b->id).sentence;
  if (left.captured != right.captured) text += ", and what they capture differs";
  return text;
}

// The trace to which most of the group are alike but for constants: the first may be the odd one.
const TraceRecord* commonest(const Evidence& evidence, const std::vector<const TraceRecord*>& group) {
  constexpr size_t kMaxPrograms = 4;
  const TraceRecord* best = group.front();
  size_t most = 0;
  std::vector<const TraceRecord*> programs;
  for (const TraceRecord* t : group) {
    const auto is_alike = [&](const TraceRecord* other) {
      return evidence.compare_graphs(other->graph(), t->graph()) <= GraphRelation::kConstants;
    };
    if (programs.size() >= kMaxPrograms) break;
    if (std::ranges::any_of(programs, is_alike)) continue;
    programs.push_back(t);
    const auto count = static_cast<size_t>(std::ranges::count_if(group, is_alike));
    if (count > most) best = t, most = count;
  }
  return best;
}

}  // namespace

namespace {

// In what the keys of two traces differ: in what a finding names, and in anything else.
struct Differences { bool named = false, others = false; };

Differences differences(const Finding& finding, const TraceRecord& a, const TraceRecord& b) {
  const auto is_named = [&](std::string_view leaf) {
    const auto names = [&](const std::string& path) {
      const std::string_view place = std::string_view(path).substr(0, path.find_first_of('.', path.rfind(']') + 1));
      return leaf.starts_with(place) && (leaf.size() == place.size() || leaf[place.size()] == '[');
    };
    return names(finding.path) || std::ranges::any_of(finding.also_paths, names);
  };
  Differences found;
  const auto compare = [&](const TraceRecord& from, const TraceRecord& in) {
    for (const session::KeyLeaf& leaf : from.key) {
      const session::KeyLeaf* other = leaf_at(in, leaf.path);
      const bool same = other && other->kind == leaf.kind && other->type == leaf.type && other->shape == leaf.shape &&
                        other->value == leaf.value;
      if (!same) (is_named(leaf.path) ? found.named : found.others) = true;
    }
  };
  compare(a, b);
  compare(b, a);
  return found;
}

}  // namespace

bool differ_only_in(const Finding& finding, const TraceRecord& a, const TraceRecord& b) {
  const Differences found = differences(finding, a, b);
  return !finding.path.empty() && found.named && !found.others;
}

void describe_graphs(const Evidence& evidence, const std::vector<std::vector<const TraceRecord*>>& groups,
                     Finding& finding) {
  using Pair = std::pair<const TraceRecord*, const TraceRecord*>;
  std::vector<Pair> pairs, apart, alone;
  for (const auto& group : groups) {
    if (group.empty()) continue;
    const TraceRecord* const base = commonest(evidence, group);
    for (const TraceRecord* t : group)
      if (t != base) pairs.push_back({base, t});
    for (size_t i = 0; i < std::min(group.size(), kMaxOfGroup) && !finding.path.empty(); ++i) {
      for (size_t k = i + 1; k < std::min(group.size(), i + kMaxNeighbours); ++k) {
        const Differences found = differences(finding, *group[i], *group[k]);
        if (found.named) (found.others ? apart : alone).push_back({group[i], group[k]});
      }
    }
  }
  // Best are pairs that differ in nothing else: others show what another cause changed, too.
  if (!alone.empty()) pairs = alone;
  else if (!apart.empty()) pairs = apart;
  const TraceRecord *left = nullptr, *right = nullptr;
  GraphRelation most = GraphRelation::kIdentical;
  Kinds all;
  size_t most_kinds = 0, alike = 0;
  for (const auto& [a, b] : pairs) {
    const GraphRelation relation = evidence.compare_graphs(a->graph(), b->graph());
    alike += relation <= GraphRelation::kConstants;
    Kinds kinds;
    if (relation == GraphRelation::kConstants) add_kinds(evidence, a->graph(), b->graph(), kinds);
    all.constants |= kinds.constants;
    all.attributes |= kinds.attributes;
    all.shapes |= kinds.shapes;
    all.ordered &= kinds.ordered;
    if (relation == GraphRelation::kUnknown) continue;
    if (left && (relation < most || (relation == most && kinds.count() <= most_kinds))) continue;
    left = a->id < b->id ? a : b;
    right = left == a ? b : a;
    most = relation;
    most_kinds = kinds.count();
  }
  if (!alone.empty() && left) finding.graphs = most;
  switch (finding.graphs) {
    case GraphRelation::kIdentical: finding.graphs_words = "are identical"; break;
    case GraphRelation::kConstants: finding.graphs_words = "differ only in " + words_of(all); break;
    case GraphRelation::kStructure:
      finding.graphs_words = most != GraphRelation::kStructure  ? "capture different values"
                             : alike * 2 > pairs.size()         ? "mostly differ only in " + words_of(all)
                                                                : "differ in structure";
      break;
    case GraphRelation::kUnknown: return;
  }
  if (left) finding.pair = {left->id, right->id, difference_of(evidence, *left, *right)};
}

}  // namespace footlight::explain
