// A graph as boxes to lay out: nodes, open or folded scopes, functions whose bodies are expanded in place.
// An area is laid out on its own: the graph itself, or one open body.
#pragma once

#include "app/models/document.h"

#include <QPointF>
#include <QRectF>
#include <QSet>
#include <QString>

#include <vector>

namespace footlight::app {

struct GraphOptions {
  bool hide_constants = false;
  bool hide_identities = false;
  bool hide_control = false;
  QSet<QString> folded;        // scopes by key
  QSet<QString> opened;        // functions by key
  bool operator==(const GraphOptions&) const = default;
};

struct PlanBox {
  enum class Kind { kNode, kScope };
  Kind kind = Kind::kNode;
  QString key;                 // the names on the path down to it; the same in all traces
  GraphId graph;
  uint32_t node = UINT32_MAX;  // kNode
  QString title, subtitle, family;
  int cluster = -1;            // open scope it lies in, in its area
  int area = 0;
  std::vector<int> bodies;     // areas open inside it
  bool expandable = false;     // has bodies or is a folded scope
  size_t holds = 0;            // nodes in a folded scope
  // In a comparison with another graph (diff_graphs.h).
  enum class Mark { kNone, kSame, kChanged, kOnlyLeft, kOnlyRight };
  Mark mark = Mark::kNone;
  bool follows = false;        // changed only as its inputs did
  QString note;                // what changed, for the tool tip
  QRectF rect;                 // absolute, once laid out
};

struct PlanEdge {
  int from = -1, to = -1;      // boxes of one area
  QString label;               // shape
  bool control = false;
  bool cut = false;            // an edge of a hub: drawn only while one of its ends is selected
  int area = 0;
  std::vector<QPointF> curve;  // cubic Bezier: the first point, then three per segment
};

struct PlanCluster {
  QString key, title;
  int parent = -1;             // cluster in the same area
  int area = 0;
  QRectF rect;
};

struct PlanArea {
  GraphId graph;
  int owner = -1;              // box
  QString title, detail;       // "then", "line 15"
  std::vector<int> boxes, edges, clusters;
  QRectF rect;                 // absolute
};

struct GraphPlan {
  GraphId root;
  std::vector<PlanBox> boxes;
  std::vector<PlanEdge> edges;
  std::vector<PlanCluster> clusters;
  std::vector<PlanArea> areas;  // the root first; an area comes after the one that holds it
  size_t nodes = 0, hidden = 0;
  bool compared = false;        // boxes have marks
  QRectF bounds;

  int box_of(GraphId graph, uint32_t node) const;  // the folded scope when the node is inside one; -1
  int box_with_key(const QString& key) const;
};

GraphPlan plan_graph(const Document& document, GraphId graph, const GraphOptions& options);

// Scopes to fold and functions to open when a graph is first shown: small graphs are expanded, big ones folded.
GraphOptions default_options(const Document& document, GraphId graph);

}  // namespace footlight::app
