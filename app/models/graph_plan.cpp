// Decides which boxes and edges to draw for a graph.
#include "app/models/graph_plan.h"

#include "app/models/text.h"

#include <QHash>

#include <algorithm>
#include <map>
#include <set>

namespace footlight::app {
namespace {

constexpr size_t kSmallGraph = 120;
constexpr size_t kHubDegree = 8;
constexpr size_t kCutFrom = 40;      // edges in an area before hubs are cut
constexpr int kDeepest = 6;          // bodies within bodies
constexpr double kBoxHeight = 44;


bool is_constant(const session::NodeRecord& n) { return n.op == "Const"; }
bool is_identity(const session::NodeRecord& n) { return n.op == "Identity" || n.op == "NoOp"; }

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

// In the order of the statement: the condition, then the branches.
int body_order(const std::string& role) {
  const QString title = body_title(role);
  return title == QStringLiteral("condition") ? 0 : title == QStringLiteral("else") ? 2 : 1;
}

class Planner {
 public:
  Planner(const Document& document, const GraphOptions& options) : document_(document), options_(options) {}

  GraphPlan make(GraphId root) {
    plan_.root = root;
    add_area(root, -1, QString(), QString(), QString(), 0);
    return std::move(plan_);
  }

 private:
  // The scopes of a graph: those that hold two or more nodes and are not themselves a node's name.
  std::set<std::string> scopes_of(const session::GraphRecord& g) const {
    std::map<std::string, size_t> count;
    std::set<std::string> names;
    size_t seen = 0;
    for (const session::NodeRecord& n : g.nodes) {
      names.insert(n.name);
      if (hidden(n)) continue;
      ++seen;
      for (size_t at = n.name.find('/'); at != std::string::npos; at = n.name.find('/', at + 1)) {
        ++count[n.name.substr(0, at)];
      }
    }
    std::set<std::string> scopes;
    for (const auto& [name, nodes] : count) {
      // A frame around everything is useless: all nodes in the body of `cond` are in the scope `cond`.
      if (nodes >= 2 && nodes < seen && !names.count(name)) scopes.insert(name);
    }
    return scopes;
  }

  bool hidden(const session::NodeRecord& n) const {
    return (options_.hide_constants && is_constant(n)) ||
           (options_.hide_identities && is_identity(n) && n.inputs.size() == 1 && n.functions.empty());
  }

  int add_area(GraphId id, int owner, const QString& prefix, const QString& title, const QString& detail, int depth) {
    const int area = static_cast<int>(plan_.areas.size());
    plan_.areas.push_back({id, owner, title, detail, {}, {}, {}, {}});
    const session::GraphRecord* g = document_.graph(id);
    if (!g) return area;
    const std::set<std::string> scopes = scopes_of(*g);
    std::map<std::string, int> cluster_of, folded_box;
    std::vector<int> box_of(g->nodes.size(), -1);
    QHash<quint32, int> row_of;
    for (size_t i = 0; i < g->nodes.size(); ++i) row_of.insert(g->nodes[i].id, static_cast<int>(i));
    // Drop the prefix that all names share.
    std::string common = g->nodes.empty() ? std::string() : g->nodes.front().name;
    for (const session::NodeRecord& n : g->nodes) {
      while (!common.empty() && !n.name.starts_with(common)) {
        common.pop_back();
        common.resize(common.find_last_of('/') == std::string::npos ? 0 : common.find_last_of('/') + 1);
      }
    }
    common.resize(common.find_last_of('/') == std::string::npos ? 0 : common.find_last_of('/') + 1);

    for (size_t i = 0; i < g->nodes.size(); ++i) {
      const session::NodeRecord& n = g->nodes[i];
      ++plan_.nodes;
      if (hidden(n)) {
        ++plan_.hidden;
        continue;
      }
      int cluster = -1;
      int box = -1;
      std::string inside = common;
      for (size_t at = n.name.find('/'); at != std::string::npos; at = n.name.find('/', at + 1)) {
        const std::string scope = n.name.substr(0, at);
        if (!scopes.count(scope)) continue;
        const QString key = prefix + q(scope) + QLatin1Char('/');
        if (options_.folded.contains(key)) {
          auto [it, added] = folded_box.try_emplace(scope, -1);
          if (added) it->second = add_folded(id, area, cluster, key, q(scope.substr(inside.size())));
          box = it->second;
          ++plan_.boxes[static_cast<size_t>(box)].holds;
          break;
        }
        auto [it, added] = cluster_of.try_emplace(scope, -1);
        if (added) {
          it->second = static_cast<int>(plan_.clusters.size());
          plan_.clusters.push_back({key, q(scope.substr(inside.size())), cluster, area, {}});
          plan_.areas[static_cast<size_t>(area)].clusters.push_back(it->second);
        }
        cluster = it->second;
        inside = scope + "/";
      }
      if (box < 0) box = add_node(*g, n, area, cluster, prefix, q(n.name.substr(inside.size())), depth);
      box_of[i] = box;
    }
    for (const auto& [scope, box] : folded_box) {
      PlanBox& b = plan_.boxes[static_cast<size_t>(box)];
      b.subtitle = counted(b.holds, "node", "nodes");
    }
    add_edges(*g, area, box_of, row_of);
    return area;
  }

  int add_folded(GraphId graph, int area, int cluster, const QString& key, const QString& title) {
    PlanBox box;
    box.kind = PlanBox::Kind::kScope;
    box.key = key;
    box.graph = graph;
    box.title = title;
    box.family = QStringLiteral("scope");
    box.cluster = cluster;
    box.area = area;
    box.expandable = true;
    return place(std::move(box));
  }

  int add_node(const session::GraphRecord& g, const session::NodeRecord& n, int area, int cluster,
               const QString& prefix, const QString& title, int depth) {
    PlanBox box;
    box.key = prefix + q(n.name);
    box.graph = g.id;
    box.node = n.id;
    box.title = title;
    box.family = q(n.family);
    box.cluster = cluster;
    box.area = area;
    box.expandable = !n.functions.empty() && depth < kDeepest;
    QStringList words;
    const QString capture = capture_of(g, n.id);
    if (!capture.isEmpty()) {
      // Show a captured variable under its own name, not the name of its placeholder.
      box.title = capture.section(QLatin1Char(' '), 0, 0).section(QLatin1Char(':'), 0, 0);
      const QString type = capture.section(QLatin1Char(' '), 1);
      const bool variable = type.endsWith(QStringLiteral(" variable"));
      words << short_type(type.section(QLatin1Char(')'), 0, 0) + QLatin1Char(')'))
            << (variable ? QStringLiteral("variable") : QStringLiteral("captured"));
      if (variable) box.family = QStringLiteral("variable");
    } else if (!n.constant.empty()) {
      words << QStringLiteral("const ") + q(n.constant).left(18);
    } else {
      if (!same_word(title, n.op)) words << q(n.op);
      if (!n.outputs.empty()) {
        const QString shape = shape_only(q(n.outputs.front()));
        words << (shape == QStringLiteral("scalar")
                      ? short_type(q(n.outputs.front())).section(QLatin1Char('['), 0, 0) +
                            QStringLiteral(" scalar")
                      : short_type(q(n.outputs.front())));
      }
    }
    box.subtitle = words.join(QStringLiteral("  "));
    const int made = place(std::move(box));
    const QString key = plan_.boxes[static_cast<size_t>(made)].key;
    if (plan_.boxes[static_cast<size_t>(made)].expandable && options_.opened.contains(key)) {
      // An open box shows the statement it came from.
      const Place from = document_.place(n.source);
      PlanBox& open = plan_.boxes[static_cast<size_t>(made)];
      open.subtitle =
          from ? document_.line_text(from).trimmed() + QStringLiteral("   ") + document_.place_text(from)
               : q(n.op);
      const double header =
          7.6 * static_cast<double>(open.title.size()) + 7.0 * static_cast<double>(open.subtitle.size()) + 60;
      open.rect.setWidth(std::max(open.rect.width(), std::min(header, 460.0)));
      auto functions = n.functions;
      std::stable_sort(functions.begin(), functions.end(), [](const auto& a, const auto& b) {
        return body_order(a.attribute) < body_order(b.attribute);
      });
      for (const auto& [role, inner] : functions) {
        const session::GraphRecord* body = document_.graph(inner);
        if (!body) continue;
        int first = 0, last = 0;
        for (const session::NodeRecord& m : body->nodes) {
          const Place at = document_.place(m.source);
          if (!at || is_identity(m) || is_constant(m) || m.op == "Placeholder") continue;
          first = first ? std::min(first, at.line) : at.line;
          last = std::max(last, at.line);
        }
        const QString lines = !first ? QString()
                              : first == last ? QStringLiteral("line %1").arg(first)
                                              : QString::fromUtf8("lines %1–%2").arg(first).arg(last);
        const int body_area = add_area(inner, made, key + QLatin1Char('|') + q(role) + QLatin1Char('/'),
                                       body_title(role), lines, depth + 1);
        plan_.boxes[static_cast<size_t>(made)].bodies.push_back(body_area);
      }
    }
    return made;
  }

  // "w1:0 float32 (8, 16) variable" if the node is the input for a capture; captures are the last inputs.
  QString capture_of(const session::GraphRecord& g, uint32_t node) const {
    const session::TraceRecord* t = document_.trace_of_graph(g.id);
    if (!t || t->graph() != g.id || t->captures.size() > g.inputs.size()) return {};
    const size_t first = g.inputs.size() - t->captures.size();
    for (size_t i = first; i < g.inputs.size(); ++i) {
      if (g.inputs[i] == node) return q(t->captures[i - first]);
    }
    return {};
  }

  int place(PlanBox box) {
    const double wide = std::max(7.4 * static_cast<double>(box.title.size()) + (box.expandable ? 22 : 0),
                                 6.8 * static_cast<double>(box.subtitle.size()));
    box.rect = QRectF(0, 0, std::clamp(wide + 34, 96.0, 280.0), kBoxHeight);
    const int index = static_cast<int>(plan_.boxes.size());
    plan_.areas[static_cast<size_t>(box.area)].boxes.push_back(index);
    plan_.boxes.push_back(std::move(box));
    return index;
  }

  void add_edges(const session::GraphRecord& g, int area, const std::vector<int>& box_of,
                 const QHash<quint32, int>& row_of) {
    std::map<std::pair<int, int>, int> known;
    // Follow hidden nodes back to the visible one that produces the value.
    const auto source = [&](session::EdgeRecord e, const session::NodeRecord*& from) {
      for (int hops = 0; hops < 64; ++hops) {
        const int row = row_of.value(e.from, -1);
        if (row < 0) return -1;
        from = &g.nodes[static_cast<size_t>(row)];
        if (box_of[static_cast<size_t>(row)] >= 0) return box_of[static_cast<size_t>(row)];
        if (from->inputs.empty()) return -1;
        e = from->inputs.front();
      }
      return -1;
    };
    const auto add = [&](int from, int to, const QString& label, bool control) {
      if (from < 0 || to < 0 || from == to) return;
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
      edge.area = area;
      plan_.areas[static_cast<size_t>(area)].edges.push_back(it->second);
      plan_.edges.push_back(std::move(edge));
    };
    for (size_t i = 0; i < g.nodes.size(); ++i) {
      if (box_of[i] < 0) continue;
      for (const session::EdgeRecord& e : g.nodes[i].inputs) {
        const session::NodeRecord* from = nullptr;
        const int box = source(e, from);
        QString label;
        if (from && e.from == from->id && e.output < from->outputs.size() &&
            !from->outputs[e.output].starts_with("resource")) {
          label = shape_only(q(from->outputs[e.output]));
        }
        add(box, box_of[i], label, false);
      }
      if (options_.hide_control) continue;
      for (uint32_t c : g.nodes[i].control_inputs) {
        const int row = row_of.value(c, -1);
        if (row >= 0) add(box_of[static_cast<size_t>(row)], box_of[i], {}, true);
      }
    }
    cut_hubs(area);
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
  const GraphOptions& options_;
  GraphPlan plan_;
};

}  // namespace

int GraphPlan::box_of(GraphId graph, uint32_t node) const {
  for (size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].kind == PlanBox::Kind::kNode && boxes[i].graph == graph && boxes[i].node == node)
      return static_cast<int>(i);
  }
  return -1;
}

int GraphPlan::box_with_key(const QString& key) const {
  for (size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].key == key) return static_cast<int>(i);
  }
  return -1;
}

GraphPlan plan_graph(const Document& document, GraphId graph, const GraphOptions& options) {
  return Planner(document, options).make(graph);
}

GraphOptions default_options(const Document& document, GraphId graph) {
  GraphOptions options;
  const session::GraphRecord* g = document.graph(graph);
  if (!g) return options;
  if (g->nodes.size() > kSmallGraph) {
    for (const session::NodeRecord& n : g->nodes) {
      const size_t slash = n.name.find('/');
      if (slash != std::string::npos) options.folded.insert(q(n.name.substr(0, slash + 1)));
    }
    return options;
  }
  size_t budget = kSmallGraph - g->nodes.size();
  for (const session::NodeRecord& n : g->nodes) {
    size_t inside = 0;
    for (const auto& [role, inner] : n.functions) {
      if (const session::GraphRecord* body = document.graph(inner)) inside += body->nodes.size();
    }
    if (n.functions.empty() || inside > budget) continue;
    budget -= inside;
    options.opened.insert(q(n.name));
  }
  return options;
}

}  // namespace footlight::app
