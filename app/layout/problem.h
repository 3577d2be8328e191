// Input and output of a layout engine: sizes, edges, clusters; positions and curves. In pixels.
#pragma once

#include "engine/base/hash128.h"

#include <QByteArray>
#include <QPointF>
#include <QRectF>

#include <atomic>
#include <vector>

namespace footlight::app {

struct LayoutProblem {
  struct Node {
    double width = 0, height = 0;
    int cluster = -1;
    int beside = -1;  // a node that wants the same row
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

  Hash128 fingerprint() const;  // hash of sizes, edges and clusters; equal fingerprints have equal layouts
};

struct LayoutResult {
  std::vector<QRectF> nodes;
  std::vector<std::vector<QPointF>> edges;  // cubic Bezier: the first point, then three per segment
  std::vector<QRectF> clusters;
  QRectF bounds;
};

// Nodes + edges + dummy nodes (the ranks that each edge spans): what Graphviz's running time depends on.
size_t predicted_cost(const LayoutProblem& problem);
// Longest path from the sources, ignoring edges that close a cycle.
std::vector<int> ranks_of(const LayoutProblem& problem);

// The app's own layout: layers by longest path, a few sweeps to order them. Linear time; clusters are only frames.
// `stop` may be set from another thread; the result is then of no use.
LayoutResult layered_layout(const LayoutProblem& problem, const std::atomic<bool>* stop = nullptr);

// Input for `dot`, and its parsed output (-Tjson0); empty if it cannot be parsed.
QByteArray dot_text(const LayoutProblem& problem);
bool read_dot_json(const QByteArray& json, const LayoutProblem& problem, LayoutResult& result);

// A straight line from box to box, for edges that were not part of the problem.
std::vector<QPointF> direct_curve(const QRectF& from, const QRectF& to);

}  // namespace footlight::app
