// A graph as boxes to lay out: nodes, open or folded scopes, functions whose bodies are expanded in place.
// An area is laid out on its own: the graph itself, or one open body.
#pragma once

#include "app/models/document.h"
#include "app/models/graph_calls.h"

#include <QHash>
#include <QPointF>
#include <QRectF>
#include <QSet>
#include <QString>

#include <functional>
#include <memory>
#include <vector>

namespace footlight::app {

struct GraphOptions {
  bool hide_constants = false;
  bool hide_identities = false;
  bool hide_control = false;
  bool fold_repeats = false;   // and put levels with too many boxes together
  bool chips = false;          // variables and gradients as chips on the boxes that they belong to
  bool fold_scopes = false;    // scopes are folded unless opened
  GraphGrouping grouping = GraphGrouping::kNames;  // the meaning of scopes
  QSet<QString> folded;        // scopes by key
  QSet<QString> opened;        // functions, repeats and blocks by key; scopes too where they are folded
  QSet<QString> unrolled;      // repeats by key, shown piece by piece
  QHash<QString, int> piece;   // the piece shown of an open repeat; the first if not given
  GraphId reveal_graph;        // opens all that is closed around this node, its own piece of repeats included
  uint32_t reveal_node = UINT32_MAX;
  bool operator==(const GraphOptions&) const = default;
};

// A part of a box: a variable that it reads or writes, or its gradient's op.
struct PlanChip {
  enum class Kind { kVariable, kGradient };
  Kind kind = Kind::kVariable;
  QString text;
  GraphId graph;
  uint32_t node = UINT32_MAX;  // selected by a click
};

struct PlanBox {
  enum class Kind { kNode, kScope, kGroup };  // kGroup: a folded repeat, block or library call
  Kind kind = Kind::kNode;
  QString key;                 // the names on the path down to it; the same in all traces
  GraphId graph;
  uint32_t node = UINT32_MAX;  // kNode
  QString title, subtitle, family;
  bool is_parameter = false;   // an argument of the function
  int cluster = -1;            // open scope it lies in, in its area
  int area = 0;
  std::vector<int> bodies;     // areas open inside it
  bool expandable = false;     // has bodies or is a folded scope
  size_t holds = 0;            // nodes in a folded scope or group
  size_t times = 0;            // repetitions of a folded repeat
  std::vector<PlanChip> chips;
  int beside = -1;             // the box of the op whose gradient it holds: drawn in the same row
  QString dtype;               // dtype of the first output
  int64_t cost_ns = -1;        // with all that it calls (graph_costs.h); -1: unknown
  bool cost_shared = false;    // with runs of the same graph from other places: this box took at most that
  uint64_t bytes = 0;          // size of its outputs, if their shapes are known
  QString device;
  // The worst value among its nodes in the recorded call (values.h).
  enum class Numbers { kUnknown, kFinite, kInfinity, kNan };
  Numbers numbers = Numbers::kUnknown;
  QString numbers_text;        // "12 NaN"
  // The mark in a comparison with another graph (diff_graphs.h). kReplaced, kOnlyLeft, kOnlyRight also: by the next
  // pass, removed by it, made by the last one (graph_stages.h).
  enum class Mark { kNone, kSame, kChanged, kReplaced, kOnlyLeft, kOnlyRight };
  Mark mark = Mark::kNone;
  bool follows = false;        // changed only as its inputs did
  QString note;                // the change, for the tool tip
  QRectF rect;                 // absolute, once laid out
};

struct PlanEdge {
  int from = -1, to = -1;      // boxes of one area
  QString label;               // shape
  bool control = false;
  bool back = false;           // on the way back of a gradient: the layout has it point up
  bool cut = false;            // an edge of a hub: drawn only while one of its ends is selected
  int area = 0;
  std::vector<QPointF> curve;  // cubic Bezier: the first point, then three per segment
};

struct PlanCluster {
  QString key, title;
  int parent = -1;             // cluster in the same area
  int area = 0;
  bool group = false;          // an open repeat, block or library call: folded again by closing it
  size_t times = 0;            // repetitions of a repeat
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
  GraphOptions options;         // the options it was made with, plus what the way to a node has opened
  // For every node of the open graphs, its box or the one that represents it (a folded scope, a chip's reader).
  QHash<quint64, int> places;
  QSet<quint64> in_other_piece;  // nodes of an open repeat that the same node of the visible piece represents
  static quint64 place_key(GraphId graph, uint32_t node) { return quint64{graph.value} << 32 | node; }

  int box_of(GraphId graph, uint32_t node) const;     // its own; -1
  int place_of(GraphId graph, uint32_t node) const;   // or the one that stands for it; -1
  int box_with_key(const QString& key) const;
};

// Shared by plans of the same records: opening a group does not search for all groups again. Used by one thread at a
// time; other records need another one.
class PlanMemo;
std::shared_ptr<PlanMemo> plan_memo();

// `go_on` is called again and again, and throws to end it.
GraphPlan plan_graph(const Document& document, GraphId graph, const GraphOptions& options,
                     const std::function<void()>& go_on = [] {}, PlanMemo* memo = nullptr);

// Scopes to fold and functions to open when a graph is first shown: small graphs are expanded, big ones folded.
GraphOptions default_options(const Document& document, GraphId graph);
// The same for the Graph view, which folds repeats and has chips.
GraphOptions first_options(const Document& document, GraphId graph);

// "train_step" for a graph that is a function's, the graph's own name for others.
QString graph_title(const Document& document, GraphId graph);
// Each graph on the way with the node in it that runs the next one, at last the node; empty if no way leads there.
std::vector<std::pair<GraphId, uint32_t>> way_to(const Document& document, GraphId root, GraphId graph, uint32_t node);

}  // namespace footlight::app
