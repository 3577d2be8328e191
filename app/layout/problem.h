// What a layout engine is given and what it gives back: sizes, edges, clusters; positions and curves. In pixels.
#pragma once

#include "engine/base/hash128.h"

#include <QByteArray>
#include <QPointF>
#include <QRectF>

#include <vector>

namespace footlight::app {

struct LayoutProblem {
  struct Node {
    double width = 0, height = 0;
    int cluster = -1;
  };
  struct Edge {
    int from = 0, to = 0;
  };
  struct Cluster {
    int parent = -1;
  };
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  std::vector<Cluster> clusters;

  Hash128 fingerprint() const;  // of sizes, edges and clusters: problems with the same one have the same layout
};

struct LayoutResult {
  std::vector<QRectF> nodes;
  std::vector<std::vector<QPointF>> edges;  // cubic: first point, then three for each piece
  std::vector<QRectF> clusters;
  QRectF bounds;
};

// Nodes + edges + dummy nodes (the ranks that each edge spans), which is what Graphviz works on.
size_t predicted_cost(const LayoutProblem& problem);
// Longest path from the sources; edges that close a cycle are left out of account.
std::vector<int> ranks_of(const LayoutProblem& problem);

// The app's own: layers by longest path, a few sweeps for the order. Time linear in the size; clusters only as frames.
LayoutResult layered_layout(const LayoutProblem& problem);

// Text for `dot`, and its answer (-Tjson0) read back. Empty result: not understood.
QByteArray dot_text(const LayoutProblem& problem);
bool read_dot_json(const QByteArray& json, const LayoutProblem& problem, LayoutResult& result);

// A curve straight from box to box, for edges that the engine was not given.
std::vector<QPointF> direct_curve(const QRectF& from, const QRectF& to);

}  // namespace footlight::app
