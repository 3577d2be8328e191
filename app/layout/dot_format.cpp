// Writes the input of `dot` and parses its JSON output.
#include "app/layout/problem.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStringList>

#include <map>

namespace footlight::app {
namespace {

constexpr double kPoints = 72;  // per inch; one point is one pixel here

QByteArray number(double value) { return QByteArray::number(value, 'f', 3); }

// Only within a cluster: a row that reaches over its border would pull nodes out of it.
QByteArray same_row(const LayoutProblem& problem, int node) {
  const auto& n = problem.nodes[static_cast<size_t>(node)];
  if (n.beside < 0 || problem.nodes[static_cast<size_t>(n.beside)].cluster != n.cluster) return {};
  return "{rank=same;n" + QByteArray::number(n.beside) + ";n" + QByteArray::number(node) + ";}\n";
}

void open_cluster(const LayoutProblem& problem, int cluster, const std::vector<std::vector<int>>& children,
                  const std::vector<std::vector<int>>& members, QByteArray& text) {
  text += "subgraph cluster_" + QByteArray::number(cluster) +
          " {label=\" \";fontsize=15;labeljust=l;margin=14;\n";
  for (int n : members[static_cast<size_t>(cluster)]) {
    text += 'n' + QByteArray::number(n) + ";\n";
    text += same_row(problem, n);
  }
  for (int c : children[static_cast<size_t>(cluster)]) open_cluster(problem, c, children, members, text);
  text += "}\n";
}

// Parses "x,y"; y points up.
bool point(QStringView text, double height, QPointF& made) {
  const qsizetype comma = text.indexOf(QLatin1Char(','));
  if (comma < 0) return false;
  bool ok_x = false, ok_y = false;
  made = QPointF(text.left(comma).toDouble(&ok_x), height - text.mid(comma + 1).toDouble(&ok_y));
  return ok_x && ok_y;
}

bool rectangle(const QString& text, double height, QRectF& made) {
  const QStringList parts = text.split(QLatin1Char(','));
  if (parts.size() != 4) return false;
  const double left = parts[0].toDouble(), low = parts[1].toDouble(), right = parts[2].toDouble(),
               up = parts[3].toDouble();
  made = QRectF(QPointF(left, height - up), QPointF(right, height - low));
  return true;
}

}  // namespace

QByteArray dot_text(const LayoutProblem& problem) {
  QByteArray text =
      "digraph g "
      "{\nnslimit=2;nslimit1=2;mclimit=0.5;searchsize=20;nodesep=0.34;ranksep=0.46;splines=true;pad=0;margin="
      "0;\n"
      "node [shape=box,fixedsize=true,label=\"\"];\nedge [arrowsize=0.1];\n";
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    text += 'n' + QByteArray::number(static_cast<qlonglong>(i)) +
            " [width=" + number(problem.nodes[i].width / kPoints) +
            ",height=" + number(problem.nodes[i].height / kPoints) + "];\n";
  }
  std::vector<std::vector<int>> children(problem.clusters.size()), members(problem.clusters.size());
  for (size_t i = 0; i < problem.nodes.size(); ++i) {
    if (problem.nodes[i].cluster >= 0)
      members[static_cast<size_t>(problem.nodes[i].cluster)].push_back(static_cast<int>(i));
  }
  for (size_t c = 0; c < problem.clusters.size(); ++c) {
    if (problem.clusters[c].parent >= 0)
      children[static_cast<size_t>(problem.clusters[c].parent)].push_back(static_cast<int>(c));
  }
  for (size_t c = 0; c < problem.clusters.size(); ++c) {
    if (problem.clusters[c].parent < 0) open_cluster(problem, static_cast<int>(c), children, members, text);
  }
  for (size_t i = 0; i < problem.nodes.size(); ++i)
    if (problem.nodes[i].cluster < 0) text += same_row(problem, static_cast<int>(i));
  for (const auto& e : problem.edges) {
    text += 'n' + QByteArray::number(e.from) + "->n" + QByteArray::number(e.to) + ";\n";
  }
  return text + "}\n";
}

bool read_dot_json(const QByteArray& json, const LayoutProblem& problem, LayoutResult& result) {
  const QJsonObject root = QJsonDocument::fromJson(json).object();
  const QStringList box = root.value(QStringLiteral("bb")).toString().split(QLatin1Char(','));
  if (box.size() != 4) return false;
  const double height = box[3].toDouble();
  result = {};
  result.nodes.resize(problem.nodes.size());
  result.clusters.resize(problem.clusters.size());
  result.edges.resize(problem.edges.size());
  size_t placed = 0;
  std::map<int, int> node_of;  // dot's own numbers
  const QJsonArray objects = root.value(QStringLiteral("objects")).toArray();
  for (const QJsonValue& value : objects) {
    const QJsonObject object = value.toObject();
    const QString name = object.value(QStringLiteral("name")).toString();
    if (name.startsWith(QStringLiteral("cluster_"))) {
      const size_t at = name.mid(8).toUInt();
      if (at < result.clusters.size())
        rectangle(object.value(QStringLiteral("bb")).toString(), height, result.clusters[at]);
    } else if (name.startsWith(QLatin1Char('n'))) {
      const size_t at = name.mid(1).toUInt();
      QPointF centre;
      if (at >= result.nodes.size() || !point(object.value(QStringLiteral("pos")).toString(), height, centre)) continue;
      const auto& node = problem.nodes[at];
      result.nodes[at] = QRectF(centre.x() - node.width / 2, centre.y() - node.height / 2, node.width, node.height);
      node_of[object.value(QStringLiteral("_gvid")).toInt(-1)] = static_cast<int>(at);
      ++placed;
    }
  }
  if (placed != problem.nodes.size()) return false;
  // dot reorders edges, so match them by their ends.
  std::map<std::pair<int, int>, size_t> edge_of;
  for (size_t i = 0; i < problem.edges.size(); ++i) edge_of[{problem.edges[i].from, problem.edges[i].to}] = i;
  const QJsonArray edges = root.value(QStringLiteral("edges")).toArray();
  for (const QJsonValue& value : edges) {
    const QJsonObject object = value.toObject();
    const auto tail = node_of.find(object.value(QStringLiteral("tail")).toInt(-1));
    const auto head = node_of.find(object.value(QStringLiteral("head")).toInt(-1));
    if (tail == node_of.end() || head == node_of.end()) continue;
    const auto known = edge_of.find({tail->second, head->second});
    if (known == edge_of.end()) continue;
    const size_t at = known->second;
    QPointF end;
    bool has_end = false;
    std::vector<QPointF> curve;
    for (const QString& part :
         object.value(QStringLiteral("pos")).toString().split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
      QPointF p;
      if (part.startsWith(QStringLiteral("e,"))) {
        has_end = point(QStringView(part).mid(2), height, end);
      } else if (part.startsWith(QStringLiteral("s,"))) {
        continue;
      } else if (point(part, height, p)) {
        curve.push_back(p);
      }
    }
    if (curve.size() >= 4 && curve.size() % 3 == 1) {
      if (has_end) curve.back() = end;
      result.edges[at] = std::move(curve);
    }
  }
  for (size_t i = 0; i < problem.edges.size(); ++i) {
    if (!result.edges[i].empty()) continue;
    result.edges[i] = direct_curve(result.nodes[static_cast<size_t>(problem.edges[i].from)],
                                   result.nodes[static_cast<size_t>(problem.edges[i].to)]);
  }
  result.bounds = QRectF(0, 0, box[2].toDouble(), height);
  return true;
}

}  // namespace footlight::app
