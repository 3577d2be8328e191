// Merges the two graphs of a diff, finds their nodes, and marks plans of them.
#include "app/models/diff_graphs.h"

#include "app/models/text.h"

#include <algorithm>
#include <set>

namespace footlight::app {
namespace {

using explain::kNoNode;
using explain::NodeDiff;
using explain::NodeState;
using session::GraphRecord;
using session::NodeRecord;

constexpr size_t kMaxOpened = 60;  // differences whose scopes and bodies are opened at first

uint64_t key_of_node(GraphId graph, uint32_t node) { return uint64_t{graph.value} << 32 | node; }

// "a/b/c" -> "a/", "a/b/".
QStringList scopes_of(const QString& name) {
  QStringList scopes;
  for (qsizetype at = name.indexOf(QLatin1Char('/')); at >= 0; at = name.indexOf(QLatin1Char('/'), at + 1))
    scopes << name.left(at + 1);
  return scopes;
}

// "[32, 1] int32 (2,)" -> "[32, 1]".
QString short_value(const std::string& constant) {
  const QString text = q(constant);
  const qsizetype close = text.indexOf(QLatin1Char(']'));
  return short_number(text.startsWith(QLatin1Char('[')) && close > 0 ? text.left(close + 1) : text).left(18);
}

PlanBox::Mark mark_of(NodeState state) {
  switch (state) {
    case NodeState::kSame: return PlanBox::Mark::kSame;
    case NodeState::kChanged: return PlanBox::Mark::kChanged;
    case NodeState::kOnlyLeft: return PlanBox::Mark::kOnlyLeft;
    case NodeState::kOnlyRight: break;
  }
  return PlanBox::Mark::kOnlyRight;
}

}  // namespace

DiffInput diff_input(const Document& document, GraphId left, GraphId right) {
  DiffInput input{left, right, {}, {}, {}, {}};
  std::set<GraphId> seen{left, right};
  std::vector<GraphId> open{left, right};
  std::set<CodeId> codes;
  std::set<session::FileId> files;
  while (!open.empty()) {
    const GraphRecord* g = document.graph(open.back());
    open.pop_back();
    if (!g) continue;
    for (const NodeRecord& n : g->nodes) {
      for (const session::NodeFunction& f : n.functions)
        if (seen.insert(f.graph).second) open.push_back(f.graph);
      if (codes.insert(n.source.code).second)
        if (const session::CodeRecord* code = document.code(n.source.code)) {
          input.codes.push_back(*code);
          if (const session::FileRecord* file = document.file(code->file); file && files.insert(file->id).second)
            input.files.push_back(*file);
        }
    }
    input.graphs.push_back(*g);
  }
  const session::TraceRecord* t = document.trace_of_graph(right);
  if (t && t->graph() == right) input.captures = t->captures;
  return input;
}

std::shared_ptr<const GraphsDiff> GraphsDiff::make(DiffInput input, const explain::GoOn& go_on) {
  auto made = std::make_shared<GraphsDiff>();
  made->graphs_ = std::move(input.graphs);
  for (size_t i = 0; i < made->graphs_.size(); ++i) made->graph_at_.emplace(made->graphs_[i].id, i);
  for (session::FileRecord& file : input.files) made->merged_.add(std::move(file));
  for (session::CodeRecord& code : input.codes) made->merged_.add(std::move(code));
  const explain::DiffSide side{
      [&made](GraphId id) -> const GraphRecord* {
        const auto at = made->graph_at_.find(id);
        return at == made->graph_at_.end() ? nullptr : &made->graphs_[at->second];
      },
      [&made](const NodeRecord& n) {
        const SourcePlace at = made->merged_.place(n.source);
        return at ? uint64_t{at.file.value} << 32 | static_cast<uint32_t>(at.line) : 0;
      }};
  made->diff_ = explain::diff_graphs(side, input.left, side, input.right, go_on);
  for (const auto& [pair, entry] : made->diff_.differences()) made->differences_.push_back({pair, entry});
  for (size_t p = 0; p < made->diff_.pairs.size(); ++p) {
    const explain::GraphPair& pair = made->diff_.pairs[p];
    for (size_t e = 0; e < pair.nodes.size(); ++e) {
      const DiffPlace place{p, e};
      const NodeRecord *l = made->node(place, true), *r = made->node(place, false);
      if (l) made->on_left_.emplace(key_of_node(pair.left, l->id), place);
      if (r) made->on_right_.emplace(key_of_node(pair.right, r->id), place);
    }
  }
  if (go_on) go_on();
  made->merge(input);
  return made;
}

const NodeRecord* GraphsDiff::node(DiffPlace place, bool on_left) const {
  const explain::GraphPair& pair = diff_.pairs[place.pair];
  const uint32_t at = on_left ? pair.nodes[place.entry].left : pair.nodes[place.entry].right;
  return at == kNoNode ? nullptr : &graphs_[graph_at_.at(on_left ? pair.left : pair.right)].nodes[at];
}

std::optional<DiffPlace> GraphsDiff::find(GraphId graph, uint32_t node, bool on_left) const {
  const auto& nodes = on_left ? on_left_ : on_right_;
  const auto at = nodes.find(key_of_node(graph, node));
  return at == nodes.end() ? std::nullopt : std::optional(at->second);
}

std::optional<DiffPlace> GraphsDiff::find(GraphId graph, uint32_t node) const {
  const auto right = find(graph, node, false);
  return right ? right : find(graph, node, true);
}

bool GraphsDiff::holds(GraphId graph) const {
  return std::any_of(diff_.pairs.begin(), diff_.pairs.end(),
                     [&](const auto& pair) { return pair.left == graph || pair.right == graph; });
}

void GraphsDiff::merge(const DiffInput& input) {
  for (size_t p = 0; p < diff_.pairs.size(); ++p) {
    GraphRecord both = merged_graph(p);
    merged_.add(changes_of(p, both));
    merged_.add(std::move(both));
  }
  // Includes the names of captured variables.
  session::TraceRecord trace;
  trace.id = TraceId(0);
  trace.graphs = {{"traced", merged_root()}, {"changes", changes_root()}};
  trace.captures = input.captures;
  merged_.add(std::move(trace));
}

// Matched nodes once, with the inputs that they have on either side.
GraphRecord GraphsDiff::merged_graph(size_t p) const {
  const explain::GraphPair& pair = diff_.pairs[p];
  GraphRecord out;
  out.id = graph_in_merged(p, false);
  // Called graphs that were compared.
  std::unordered_map<uint32_t, std::vector<session::NodeFunction>> called;
  for (size_t b = 1; b < diff_.pairs.size(); ++b)
    if (diff_.pairs[b].owner == p)
      called[diff_.pairs[b].owner_left].push_back({diff_.pairs[b].role, graph_in_merged(b, false)});
  for (uint32_t e = 0; e < pair.nodes.size(); ++e) {
    const NodeRecord *l = node({p, e}, true), *r = node({p, e}, false);
    NodeRecord n = r ? *r : *l;
    n.id = e;
    n.inputs.clear();
    n.control_inputs.clear();
    std::set<uint32_t> known, known_controls;
    for (const bool on_left : {false, true}) {
      const NodeRecord* from = on_left ? l : r;
      if (!from) continue;
      const GraphId graph = on_left ? pair.left : pair.right;
      const auto add = [&](uint32_t id, auto&& put) {
        if (const auto at = find(graph, id, on_left); at && at->pair == p) put(static_cast<uint32_t>(at->entry));
      };
      for (const session::EdgeRecord& edge : from->inputs)
        add(edge.from, [&](uint32_t to) {
          if (known.insert(to).second) n.inputs.push_back({to, edge.output});
        });
      for (uint32_t c : from->control_inputs)
        add(c, [&](uint32_t to) {
          if (known_controls.insert(to).second) n.control_inputs.push_back(to);
        });
    }
    n.functions.clear();
    if (pair.nodes[e].left != kNoNode) n.functions = called[pair.nodes[e].left];
    out.nodes.push_back(std::move(n));
  }
  for (uint32_t id : graphs_[graph_at_.at(pair.right)].inputs)
    if (const auto at = find(pair.right, id, false); at && at->pair == p)
      out.inputs.push_back(static_cast<uint32_t>(at->entry));
  return out;
}

GraphRecord GraphsDiff::changes_of(size_t p, const GraphRecord& merged) const {
  const explain::GraphPair& pair = diff_.pairs[p];
  std::vector<bool> keep(pair.nodes.size(), false);
  const auto differs = [&](uint32_t e) { return e < pair.nodes.size() && pair.nodes[e].state != NodeState::kSame; };
  for (const NodeRecord& n : merged.nodes) {
    keep[n.id] = keep[n.id] || differs(n.id);
    for (const session::EdgeRecord& e : n.inputs) {
      if (differs(n.id)) keep[e.from] = true;
      if (differs(e.from)) keep[n.id] = true;
    }
  }
  GraphRecord out = merged;
  out.id = graph_in_merged(p, true);
  std::erase_if(out.nodes, [&](const NodeRecord& n) { return !keep[n.id]; });
  for (NodeRecord& n : out.nodes)
    for (session::NodeFunction& f : n.functions) f.graph = graph_in_merged(f.graph.value / 2, true);
  return out;
}

QString GraphsDiff::what_changed(DiffPlace place) const {
  QStringList parts;
  for (explain::NodeChange c : entry(place).changes) {
    if (c.kind == explain::ChangeKind::kOutput)
      for (std::string* type : {&c.left, &c.right}) *type = short_type(q(*type)).toStdString();
    parts << q(words(c));
  }
  if (entry(place).follows) parts << QStringLiteral("follows its inputs");
  return parts.join(QStringLiteral("; "));
}

QString GraphsDiff::inside(size_t pair) const {
  QStringList path;
  for (size_t hops = 0; pair > 0 && hops < diff_.pairs.size(); ++hops) {
    const explain::GraphPair& at = diff_.pairs[pair];
    const explain::GraphPair& owner = diff_.pairs[at.owner];
    path.prepend(q(node({at.owner, owner.of_left[at.owner_left]}, true)->name) + QLatin1Char(' ') + q(at.role));
    pair = at.owner;
  }
  return path.join(QStringLiteral(", "));
}

std::vector<GraphChoice> graph_choices(const Document& document) {
  std::vector<GraphChoice> choices;
  for (const session::FunctionRecord& f : document.functions)
    for (const session::TraceRecord* t : document.traces_of(f.id))
      for (const session::TraceGraph& g : t->graphs) {
        if (!document.graph(g.graph)) continue;
        QString text = q(f.name) + QStringLiteral(" #%1").arg(t->number);
        if (g.graph != t->graph()) text += QLatin1Char(' ') + q(g.stage);
        choices.push_back({g.graph, t->id, text, q(t->signature)});
      }
  return choices;
}

const session::TraceRecord* compared_with(const Document& document, const session::TraceRecord& trace) {
  const session::TraceRecord* nearest = document.trace(trace.nearest);
  if (nearest && document.graph(nearest->graph())) return nearest;
  const session::TraceRecord* before = nullptr;
  for (const session::TraceRecord* t : document.traces_of(trace.function)) {
    if (!document.graph(t->graph()) || t->id == trace.id) continue;
    if (t->number > trace.number) return before ? before : t;
    before = t;
  }
  return before;
}

std::optional<PartNode> node_in(const GraphsDiff& diff, DiffPlace place, DiffPart part) {
  const explain::GraphPair& pair = diff.diff().pairs[place.pair];
  const NodeRecord *l = diff.node(place, true), *r = diff.node(place, false);
  switch (part) {
    case DiffPart::kLeft: return l ? std::optional(PartNode{pair.left, l->id, q(l->name)}) : std::nullopt;
    case DiffPart::kRight: return r ? std::optional(PartNode{pair.right, r->id, q(r->name)}) : std::nullopt;
    default: break;
  }
  const GraphId graph = GraphsDiff::graph_in_merged(place.pair, part == DiffPart::kChanges);
  return PartNode{graph, static_cast<uint32_t>(place.entry), q((r ? r : l)->name)};
}

std::optional<DiffPlace> place_of_node(const GraphsDiff& diff, GraphId graph, uint32_t node, DiffPart part) {
  if (part == DiffPart::kLeft || part == DiffPart::kRight) return diff.find(graph, node, part == DiffPart::kLeft);
  return GraphsDiff::place_in_merged(graph, node);
}

void open_way_to(GraphOptions& options, const GraphsDiff& diff, DiffPlace place, DiffPart part) {
  // Goes from the inside out: the node, then the boxes that call its graph.
  std::vector<std::pair<QString, QString>> path;  // name, role
  QString role;
  for (size_t hops = 0; hops <= diff.diff().pairs.size(); ++hops) {
    const auto at = node_in(diff, place, part);
    if (!at) return;
    path.push_back({at->name, role});
    if (place.pair == 0) break;
    const explain::GraphPair& pair = diff.diff().pairs[place.pair];
    role = q(pair.role);
    place = {pair.owner, diff.diff().pairs[pair.owner].of_left[pair.owner_left]};
  }
  QString prefix;
  for (size_t i = path.size(); i-- > 0;) {
    for (const QString& scope : scopes_of(path[i].first)) options.folded.remove(prefix + scope);
    if (i == 0) break;
    options.opened.insert(prefix + path[i].first);
    prefix += path[i].first + QLatin1Char('|') + path[i].second + QLatin1Char('/');
  }
}

GraphOptions options_to_see(const GraphsDiff& diff, const Document& document, GraphId root, DiffPart part) {
  GraphOptions options = default_options(document, root);
  const size_t count = std::min(diff.differences().size(), kMaxOpened);
  for (size_t i = 0; i < count; ++i) open_way_to(options, diff, diff.differences()[i], part);
  return options;
}

void mark_plan(GraphPlan& plan, const GraphsDiff& diff, DiffPart part) {
  plan.compared = true;
  const bool merged = part == DiffPart::kMerged || part == DiffPart::kChanges;
  std::set<std::pair<GraphId, QString>> scopes;  // scopes with differences
  for (const DiffPlace& place : diff.differences())
    if (const auto at = node_in(diff, place, part))
      for (const QString& scope : scopes_of(at->name)) scopes.insert({at->graph, scope});
  for (PlanBox& box : plan.boxes) {
    if (box.kind == PlanBox::Kind::kScope) {
      const bool differs = std::any_of(scopes.begin(), scopes.end(), [&](const auto& scope) {
        return scope.first == box.graph && box.key.endsWith(scope.second);
      });
      box.mark = differs ? PlanBox::Mark::kChanged : PlanBox::Mark::kSame;
      box.note = differs ? QStringLiteral("holds differences") : QStringLiteral("same");
      box.subtitle += differs ? QStringLiteral(", changed") : QStringLiteral(", same");
      continue;
    }
    const std::optional<DiffPlace> place = place_of_node(diff, box.graph, box.node, part);
    if (!place) continue;
    const NodeDiff& entry = diff.entry(*place);
    box.mark = mark_of(entry.state);
    box.follows = entry.follows;
    box.note = q(name_of(entry.state));
    const QString what = diff.what_changed(*place);
    if (!what.isEmpty()) box.note += QStringLiteral(": ") + what;
    // Both values, where there is one node for them.
    for (const explain::NodeChange& c : entry.changes) {
      const bool constant = c.kind == explain::ChangeKind::kConstant;
      if (!merged || !box.bodies.empty() || (!constant && c.kind != explain::ChangeKind::kOutput)) continue;
      const auto text = [&](const std::string& value) { return constant ? short_value(value) : short_type(q(value)); };
      box.subtitle = text(c.left) + QString::fromUtf8(" → ") + text(c.right);
      box.rect.setWidth(std::clamp(6.8 * static_cast<double>(box.subtitle.size()) + 34, box.rect.width(), 280.0));
    }
  }
}

int scope_around(const GraphPlan& plan, const PartNode& node) {
  const QStringList scopes = scopes_of(node.name);
  for (size_t i = 0; i < plan.boxes.size(); ++i) {
    const PlanBox& b = plan.boxes[i];
    if (b.kind != PlanBox::Kind::kScope || b.graph != node.graph) continue;
    if (std::any_of(scopes.begin(), scopes.end(), [&](const QString& s) { return b.key.endsWith(s); }))
      return static_cast<int>(i);
  }
  return -1;
}

}  // namespace footlight::app
