// Decides which boxes and edges to draw for a graph.
#include "app/models/graph_plan.h"

#include "app/models/area_facts.h"
#include "app/models/graph_costs.h"
#include "app/models/graph_gradients.h"
#include "app/models/graph_groups.h"
#include "app/models/text.h"

#include <algorithm>
#include <map>
#include <set>

namespace footlight::app {

namespace {

constexpr size_t kHubDegree = 8;
constexpr size_t kCutFrom = 40;      // edges in an area before hubs are cut
constexpr int kDeepest = 6;          // bodies within bodies
constexpr double kBoxHeight = 44, kChipRow = 22;
constexpr size_t kMaxChips = 4;
constexpr double kCostWidth = 58;    // width of a duration behind the subtitle

bool same_word(QString title, const std::string& op) {
  while (!title.isEmpty() && (title.back().isDigit() || title.back() == QLatin1Char('_'))) title.chop(1);
  return title.compare(q(op), Qt::CaseInsensitive) == 0;
}

QString body_title(const std::string& role) {
  if (role.find("then") != std::string::npos) return QStringLiteral("then");
  if (role.find("else") != std::string::npos) return QStringLiteral("else");
  if (role.find("cond") != std::string::npos) return QStringLiteral("condition");
  if (role.find("body") != std::string::npos) return QStringLiteral("body");
  return q(role);
}

// The order of a statement's parts: the condition, then the branches.
int body_order(const std::string& role) {
  const QString title = body_title(role);
  return title == QStringLiteral("condition") ? 0 : title == QStringLiteral("else") ? 2 : 1;
}

// A scope that is open unless it was folded.
bool is_plain_scope(const GraphGroup& group) { return group.kind == GraphGroup::Kind::kScope && !group.is_of_library; }

bool calls_function(const session::NodeRecord& n) {
  return n.functions.size() == 1 && n.functions.front().attribute == "f";
}

class Planner {
 public:
  Planner(const Document& document, const GraphOptions& options, const std::function<void()>& go_on, PlanMemo* memo)
      : document_(document), options_(options), go_on_(go_on), memo_(memo) {}

  GraphPlan make(GraphId root) {
    plan_.root = root;
    if (options_.reveal_graph.valid()) way_ = way_to(document_, root, options_.reveal_graph, options_.reveal_node);
    add_area(root, -1, {}, QString(), QString(), 0, {});
    options_.reveal_graph = {};
    plan_.options = std::move(options_);
    return std::move(plan_);
  }

 private:
  // The state of an area while its boxes are built.
  struct Area {
    const session::GraphRecord& graph;
    int index;
    QString prefix;
    int depth;
    std::shared_ptr<const AreaFacts> facts;
    std::vector<int> box;                   // by position: its box or its group's; -1: hidden, a chip, other piece
    std::vector<int> twin;                  // of another piece of an open repeat: the same node of the one shown; -1
    int row(uint32_t id) const { return facts->row.value(id, -1); }
    const QString& variable(size_t i) const { return facts->variable[i]; }
    const GraphGroups& groups() const { return facts->groups; }
  };

  bool open(const GraphGroup& g) const {
    if (is_plain_scope(g) && !options_.fold_scopes) return !options_.folded.contains(g.key);
    return options_.opened.contains(g.key) || options_.unrolled.contains(g.key);
  }

  PlanBox& box(int index) { return plan_.boxes[static_cast<size_t>(index)]; }

  int add_area(GraphId id, int owner, const QString& prefix, const QString& title, const QString& detail, int depth,
               std::vector<QString> parameters) {
    const int index = static_cast<int>(plan_.areas.size());
    plan_.areas.push_back({id, owner, title, detail, {}, {}, {}, {}});
    const session::GraphRecord* g = document_.graph(id);
    if (!g) return index;
    Area area{*g, index, prefix, depth, {}, {}, {}};
    area.facts = area_facts(document_, *g, options_, {prefix, std::move(parameters)}, go_on_, memo_);
    open_around_way(area);
    area.box.assign(g->nodes.size(), -1);
    area.twin.assign(g->nodes.size(), -1);
    add_boxes(area, area.facts->common);
    add_edges(area);
    if (options_.chips) add_chips(area);
    for (size_t i = 0; i < g->nodes.size(); ++i) {
      const int at = area.box[i] >= 0    ? area.box[i]
                     : area.twin[i] >= 0 ? area.box[static_cast<size_t>(area.twin[i])]
                                         : -1;
      if (at < 0) continue;
      plan_.places.insert(GraphPlan::place_key(id, g->nodes[i].id), at);
      if (area.twin[i] >= 0) plan_.in_other_piece.insert(GraphPlan::place_key(id, g->nodes[i].id));
      for (const session::NodeOrigin& origin : g->nodes[i].origins) {
        const quint64 key = GraphPlan::place_key(origin.graph, origin.node.value);
        if (!plan_.places.contains(key)) plan_.places.insert(key, at);
      }
    }
    return index;
  }

  // Opens the groups around what is to be seen, each repeat at its own piece.
  void open_around_way(const Area& area) {
    for (const auto& [graph, node] : way_) {
      const int row = graph == area.graph.id ? area.row(node) : -1;
      if (row < 0) continue;
      const auto i = static_cast<size_t>(row);
      for (int k = area.groups().of[i]; k >= 0; k = area.groups().groups[static_cast<size_t>(k)].parent) {
        const GraphGroup& group = area.groups().groups[static_cast<size_t>(k)];
        options_.folded.remove(group.key);
        if (!is_plain_scope(group) || options_.fold_scopes) options_.opened.insert(group.key);
        if (group.kind == GraphGroup::Kind::kRepeat)
          options_.piece.insert(group.key, static_cast<int>((i - group.repeat.first) / group.repeat.period));
      }
      const session::NodeRecord& n = area.graph.nodes[i];
      const bool last = graph == way_.back().first && node == way_.back().second;
      if (!last && !n.functions.empty()) options_.opened.insert(area.prefix + q(n.name));
    }
  }

  void add_boxes(Area& area, const std::string& common) {
    const session::GraphRecord& g = area.graph;
    std::map<int, int> cluster_of, folded;
    std::vector<int> path;
    for (size_t i = 0; i < g.nodes.size(); ++i) {
      if (i % 256 == 0) go_on_();
      ++plan_.nodes;
      if (!area.variable(i).isEmpty()) continue;
      if (is_hidden(g.nodes[i], options_)) {
        ++plan_.hidden;
        continue;
      }
      path.clear();
      for (int at = area.groups().of[i]; at >= 0; at = area.groups().groups[static_cast<size_t>(at)].parent)
        path.push_back(at);
      std::reverse(path.begin(), path.end());
      int cluster = -1;
      std::string inside = options_.grouping == GraphGrouping::kNames ? common : std::string();
      for (const int at : path) {
        const GraphGroup& group = area.groups().groups[static_cast<size_t>(at)];
        if (!open(group)) {
          const auto [known, added] = folded.try_emplace(at, -1);
          if (added) known->second = add_folded(area, cluster, group);
          area.box[i] = known->second;
          ++box(known->second).holds;
          break;
        }
        if (group.kind == GraphGroup::Kind::kScope && options_.grouping == GraphGrouping::kNames) {
          const size_t name = static_cast<size_t>(group.title.toUtf8().size());
          inside = g.nodes[i].name.substr(0, inside.size() + name + 1);
        } else if (group.kind == GraphGroup::Kind::kRepeat) {
          area.twin[i] = twin_of(group, i);
          if (area.twin[i] >= 0) break;
        }
        const auto [known, added] = cluster_of.try_emplace(at, -1);
        if (added) {
          known->second = static_cast<int>(plan_.clusters.size());
          plan_.clusters.push_back(frame_of(group, cluster, area.index));
          plan_.areas[static_cast<size_t>(area.index)].clusters.push_back(known->second);
        }
        cluster = known->second;
      }
      if (area.box[i] < 0 && area.twin[i] < 0)
        area.box[i] = add_node(area, i, cluster, q(g.nodes[i].name.substr(inside.size())));
    }
    for (const auto& [at, made] : folded) {
      const GraphGroup& group = area.groups().groups[static_cast<size_t>(at)];
      QStringList words{group.kind == GraphGroup::Kind::kRepeat
                            ? counted(group.repeat.period, "node", "nodes") + QStringLiteral(" each")
                            : counted(box(made).holds, "node", "nodes")};
      if (!group.detail.isEmpty()) words << group.detail;
      box(made).subtitle = words.join(QStringLiteral("  "));
    }
  }

  int shown_piece(const GraphGroup& group) const {
    return std::clamp(options_.piece.value(group.key, 0), 0, static_cast<int>(group.repeat.times) - 1);
  }

  // The position of the same node in the piece that is shown; -1 if this one is.
  int twin_of(const GraphGroup& group, size_t i) const {
    const GraphRepeat& r = group.repeat;
    if (options_.unrolled.contains(group.key)) return -1;
    const size_t piece = (i - r.first) / r.period, shown = static_cast<size_t>(shown_piece(group));
    return piece == shown ? -1 : static_cast<int>(r.first + shown * r.period + (i - r.first) % r.period);
  }

  PlanCluster frame_of(const GraphGroup& group, int parent, int area) const {
    PlanCluster c;
    c.key = group.key;
    c.title = group.title;
    c.parent = parent;
    c.area = area;
    c.group = !is_plain_scope(group);
    if (group.kind == GraphGroup::Kind::kRepeat) {
      c.times = group.repeat.times;
      if (!options_.unrolled.contains(group.key))
        c.title = QString::fromUtf8("%1 of ×%2  ")  // first: a narrow piece cuts the rest
                      .arg(count_text(static_cast<uint64_t>(shown_piece(group)) + 1), count_text(group.repeat.times)) +
                  group.title.section(QStringLiteral("  "), 1);
    }
    if (!group.detail.isEmpty()) c.title += QStringLiteral("   ") + group.detail;
    return c;
  }

  int add_folded(const Area& area, int cluster, const GraphGroup& group) {
    PlanBox box;
    box.kind = is_plain_scope(group) ? PlanBox::Kind::kScope : PlanBox::Kind::kGroup;
    box.key = group.key;
    box.graph = area.graph.id;
    box.title = group.title;
    // Its width is that of the final words.
    box.subtitle = group.detail + QString(22, QLatin1Char(' '));
    box.family = QStringLiteral("scope");
    box.cluster = cluster;
    box.area = area.index;
    box.expandable = true;
    if (group.kind == GraphGroup::Kind::kRepeat) box.times = group.repeat.times;
    return place(std::move(box));
  }

  int add_node(Area& area, size_t i, int cluster, const QString& name) {
    const session::GraphRecord& g = area.graph;
    const session::NodeRecord& n = g.nodes[i];
    PlanBox made;
    made.key = area.prefix + q(n.name);
    made.graph = g.id;
    made.node = n.id;
    made.title = calls_function(n) ? graph_title(document_, n.functions.front().graph) : name;
    made.family = q(n.family);
    made.cluster = cluster;
    made.area = area.index;
    made.expandable = !n.functions.empty() && area.depth < kDeepest;
    if (!n.outputs.empty()) made.dtype = q(n.outputs.front()).section(QLatin1Char(' '), 0, 0);
    for (const std::string& output : n.outputs) made.bytes += bytes_of(output);
    describe(made, area, n);
    made.is_parameter = n.op == "Placeholder" && !area.facts->captures.contains(n.id);
    if (options_.chips) count_chips(made, area, i);
    const bool runs = n.op != "Const" && n.op != "Placeholder";
    const int index = place(std::move(made), options_.chips && runs ? kCostWidth : 0);
    if (box(index).expandable && options_.opened.contains(box(index).key)) open_bodies(area, i, index);
    return index;
  }

  void describe(PlanBox& made, const Area& area, const session::NodeRecord& n) {
    QStringList words;
    const QString capture = area.facts->captures.value(n.id);
    if (!capture.isEmpty()) {
      // Show a captured variable under its own name, not the name of its placeholder.
      made.title = capture.section(QLatin1Char(' '), 0, 0).section(QLatin1Char(':'), 0, 0);
      const QString type = capture.section(QLatin1Char(' '), 1);
      const bool variable = type.endsWith(QStringLiteral(" variable"));
      words << short_type(type.section(QLatin1Char(')'), 0, 0) + QLatin1Char(')'))
            << (variable ? QStringLiteral("variable") : QStringLiteral("captured"));
      if (variable) made.family = QStringLiteral("variable");
    } else if (!n.constant.empty()) {
      words << QStringLiteral("const ") + q(n.constant).left(18);
    } else {
      if (calls_function(n)) words << QStringLiteral("call");
      else if (!same_word(made.title, n.op)) words << q(n.op);
      if (!n.outputs.empty()) {
        const QString shape = shape_only(q(n.outputs.front()));
        words << (shape == QStringLiteral("scalar")
                      ? short_type(q(n.outputs.front())).section(QLatin1Char('['), 0, 0) +
                            QStringLiteral(" scalar")
                      : short_type(q(n.outputs.front())));
      }
    }
    made.subtitle = words.join(QStringLiteral("  "));
  }

  void open_bodies(Area& area, size_t i, int made) {
    const session::NodeRecord& n = area.graph.nodes[i];
    const QString key = box(made).key;
    // An open box shows the statement it came from.
    const SourcePlace from = document_.place(n.source);
    box(made).subtitle =
        from ? document_.line_text(from).trimmed() + QStringLiteral("   ") + document_.place_text(from) : q(n.op);
    const double header = 7.6 * static_cast<double>(box(made).title.size()) +
                          7.0 * static_cast<double>(box(made).subtitle.size()) + 60;
    box(made).rect.setWidth(std::max(box(made).rect.width(), std::min(header, 460.0)));
    auto functions = n.functions;
    std::stable_sort(functions.begin(), functions.end(), [](const auto& a, const auto& b) {
      return body_order(a.attribute) < body_order(b.attribute);
    });
    for (const auto& [role, inner] : functions) {
      const session::GraphRecord* body = document_.graph(inner);
      if (!body) continue;
      int first = 0, last = 0;
      session::FileId file;
      bool one_file = true;
      for (const session::NodeRecord& m : body->nodes) {
        const SourcePlace at = document_.place(m.source);
        if (!at || is_identity(m) || is_constant(m) || m.op == "Placeholder") continue;
        one_file &= !first || at.file == file;
        file = at.file;
        first = first ? std::min(first, at.line) : at.line;
        last = std::max(last, at.line);
      }
      const QString lines = !first || !one_file ? QString()
                            : first == last ? QStringLiteral("line %1").arg(first)
                                            : QString::fromUtf8("lines %1–%2").arg(first).arg(last);
      // A body's parameters are the last inputs of its node: a branch's come after the condition.
      std::vector<QString> parameters(body->inputs.size());
      for (size_t k = 0; k < parameters.size() && body->inputs.size() <= n.inputs.size(); ++k) {
        const size_t input = k + n.inputs.size() - body->inputs.size();
        const int at = area.row(n.inputs[input].from);
        if (at >= 0) parameters[k] = area.variable(static_cast<size_t>(at));
      }
      const int body_area = add_area(inner, made, key + QLatin1Char('|') + q(role) + QLatin1Char('/'),
                                     calls_function(n) ? graph_title(document_, inner) : body_title(role),
                                     lines, area.depth + 1, std::move(parameters));
      box(made).bodies.push_back(body_area);
    }
  }

  // "w1:0 float32 (8, 16) variable" if the node is the input for a capture; captures are the last inputs.
  int place(PlanBox box, double spare = 0) {
    double wide = std::max(7.4 * static_cast<double>(box.title.size()) + (box.expandable ? 22 : 0),
                           6.8 * static_cast<double>(box.subtitle.size()) + spare);
    double chips = 0;
    for (const PlanChip& chip : box.chips) chips += 6.6 * static_cast<double>(chip.text.size()) + 20;
    wide = std::max(wide, chips - 12);
    box.rect = QRectF(0, 0, std::clamp(wide + 34, 96.0, box.times || chips > 0 ? 420.0 : 280.0),
                      kBoxHeight + (box.chips.empty() ? 0 : kChipRow));
    const int index = static_cast<int>(plan_.boxes.size());
    plan_.areas[static_cast<size_t>(box.area)].boxes.push_back(index);
    plan_.boxes.push_back(std::move(box));
    return index;
  }

  // The variables that a node reads or writes.
  void count_chips(PlanBox& made, const Area& area, size_t i) const {
    std::set<QString> known;
    size_t more = 0;
    for (const session::EdgeRecord& e : area.graph.nodes[i].inputs) {
      const int from = area.row(e.from);
      if (from < 0 || area.variable(static_cast<size_t>(from)).isEmpty()) continue;
      const QString& name = area.variable(static_cast<size_t>(from));
      if (!known.insert(name).second) continue;
      if (made.chips.size() == kMaxChips) ++more;
      else made.chips.push_back({PlanChip::Kind::kVariable, name.size() > 20 ? name.left(19) + QChar(0x2026) : name,
                                 area.graph.id, e.from});
    }
    if (more) made.chips.back().text = QStringLiteral("%1 more").arg(count_text(more + 1));
  }

  // Gradients beside their op; and where the nodes behind chips are shown.
  void add_chips(Area& area) {
    const session::GraphRecord& g = area.graph;
    const std::vector<size_t>& forward = area.facts->forward;
    lay_back_beside(plan_, area.index, forward, [&](size_t i) { return end_of(area, i).first; });
    for (size_t i = 0; i < g.nodes.size(); ++i) {
      for (const session::EdgeRecord& e : g.nodes[i].inputs) {
        const int from = area.row(e.from);
        if (from < 0 || area.variable(static_cast<size_t>(from)).isEmpty()) continue;
        if (area.box[i] >= 0 && area.twin[static_cast<size_t>(from)] < 0 && area.box[static_cast<size_t>(from)] < 0)
          stands_for(area, static_cast<size_t>(from), area.box[i]);
      }
      if (forward[i] >= g.nodes.size()) continue;
      const int owner = area.box[forward[i]];
      if (owner < 0 || box(owner).kind != PlanBox::Kind::kNode || !box(owner).bodies.empty()) continue;
      PlanBox& b = box(owner);
      const QString text = QStringLiteral("∇ ") + q(g.nodes[i].op);
      if (b.chips.size() > kMaxChips) continue;
      if (b.chips.empty()) b.rect.setHeight(b.rect.height() + kChipRow);
      b.chips.push_back({PlanChip::Kind::kGradient, text, g.id, g.nodes[i].id});
      double chips = 22;
      for (const PlanChip& chip : b.chips) chips += 6.6 * static_cast<double>(chip.text.size()) + 20;
      b.rect.setWidth(std::max(b.rect.width(), std::min(chips, 420.0)));
      const int own = area.box[i];
      if (own >= 0 && box(own).kind == PlanBox::Kind::kNode)
        box(own).note = QStringLiteral("gradient of ") + q(g.nodes[forward[i]].name);
    }
  }

  // A variable is shown where it is read first, its handle too.
  void stands_for(Area& area, size_t chip, int shown) {
    const auto show = [&](uint32_t node) {
      const auto key = GraphPlan::place_key(area.graph.id, node);
      if (!plan_.places.contains(key)) plan_.places.insert(key, shown);
    };
    show(area.graph.nodes[chip].id);
    for (const session::EdgeRecord& e : area.graph.nodes[chip].inputs) show(e.from);
  }

  // The box at one end of an edge, and whether that end is in a piece that is not shown.
  std::pair<int, bool> end_of(const Area& area, size_t at) const {
    if (area.box[at] >= 0) return {area.box[at], false};
    if (area.twin[at] >= 0) return {area.box[static_cast<size_t>(area.twin[at])], true};
    return {-1, false};
  }

  void add_edges(Area& area) {
    const session::GraphRecord& g = area.graph;
    std::map<std::pair<int, int>, int> known;
    // Follow hidden nodes back to the visible one that produces the value.
    const auto source = [&](session::EdgeRecord e, const session::NodeRecord*& from) -> int {
      for (int hops = 0; hops < 64; ++hops) {
        const int row = area.row(e.from);
        if (row < 0) return -1;
        from = &g.nodes[static_cast<size_t>(row)];
        if (end_of(area, static_cast<size_t>(row)).first >= 0) return row;
        if (from->inputs.empty()) return -1;
        e = from->inputs.front();
      }
      return -1;
    };
    const auto add = [&](int from_row, size_t to_row, const QString& label, bool control) {
      if (from_row < 0) return;
      const auto [from, from_other] = end_of(area, static_cast<size_t>(from_row));
      const auto [to, to_other] = end_of(area, to_row);
      if (from < 0 || to < 0 || from == to) return;
      // Between two pieces, and into a piece that is not shown: what it takes is like what the shown one takes.
      if (to_other && (from_other || !first_piece(area, to_row))) return;
      if (from_other && (same_repeat(area, static_cast<size_t>(from_row), to_row) ||
                         !last_piece(area, static_cast<size_t>(from_row))))
        return;
      const auto [it, added] = known.try_emplace({from, to}, static_cast<int>(plan_.edges.size()));
      if (!added) {
        PlanEdge& e = plan_.edges[static_cast<size_t>(it->second)];
        e.control = e.control && control;
        if (e.label.isEmpty()) e.label = label;
        return;
      }
      PlanEdge edge;
      edge.from = from;
      edge.to = to;
      edge.label = label;
      edge.control = control;
      edge.area = area.index;
      plan_.areas[static_cast<size_t>(area.index)].edges.push_back(it->second);
      plan_.edges.push_back(std::move(edge));
    };
    for (size_t i = 0; i < g.nodes.size(); ++i) {
      if (i % 256 == 0) go_on_();
      if (end_of(area, i).first < 0) continue;
      for (const session::EdgeRecord& e : g.nodes[i].inputs) {
        const session::NodeRecord* from = nullptr;
        const int row = source(e, from);
        QString label;
        if (from && e.from == from->id && e.output < from->outputs.size() &&
            !from->outputs[e.output].starts_with("resource")) {
          label = shape_only(q(from->outputs[e.output]));
        }
        add(row, i, label, false);
      }
      if (options_.hide_control) continue;
      for (uint32_t c : g.nodes[i].control_inputs) {
        const int row = area.row(c);
        if (row >= 0 && area.box[static_cast<size_t>(row)] >= 0) add(row, i, {}, true);
      }
    }
    cut_hubs(area.index);
  }

  // The innermost repeat around a node.
  const GraphGroup* repeat_around(const Area& area, size_t at) const {
    for (int g = area.groups().of[at]; g >= 0; g = area.groups().groups[static_cast<size_t>(g)].parent) {
      const GraphGroup& group = area.groups().groups[static_cast<size_t>(g)];
      if (group.kind == GraphGroup::Kind::kRepeat) return &group;
    }
    return nullptr;
  }
  bool first_piece(const Area& area, size_t at) const {
    const GraphGroup* g = repeat_around(area, at);
    return g && at < g->repeat.first + g->repeat.period;
  }
  bool last_piece(const Area& area, size_t at) const {
    const GraphGroup* g = repeat_around(area, at);
    return g && at + g->repeat.period >= g->repeat.end();
  }
  bool same_repeat(const Area& area, size_t a, size_t b) const {
    const GraphGroup* g = repeat_around(area, a);
    return g && b >= g->repeat.first && b < g->repeat.end();
  }

  void cut_hubs(int area) {
    const std::vector<int>& edges = plan_.areas[static_cast<size_t>(area)].edges;
    if (edges.size() < kCutFrom) return;
    std::map<int, size_t> degree, kept;
    for (int e : edges) {
      ++degree[plan_.edges[static_cast<size_t>(e)].from];
      ++degree[plan_.edges[static_cast<size_t>(e)].to];
    }
    for (int e : edges) {
      PlanEdge& edge = plan_.edges[static_cast<size_t>(e)];
      for (int end : {edge.from, edge.to}) {
        // Keep two edges, so that the hub is placed near some of its readers.
        if (degree[end] > kHubDegree && ++kept[end] > 2) edge.cut = true;
      }
    }
  }

  const Document& document_;
  GraphOptions options_;
  const std::function<void()>& go_on_;
  PlanMemo* const memo_;
  GraphPlan plan_;
  std::vector<std::pair<GraphId, uint32_t>> way_;  // to what is to be seen
};

}  // namespace

GraphPlan plan_graph(const Document& document, GraphId graph, const GraphOptions& options,
                     const std::function<void()>& go_on, PlanMemo* memo) {
  return Planner(document, options, go_on, memo).make(graph);
}

}  // namespace footlight::app
