// Two graphs of a session beside each other or as one, with what differs marked; made without the session's document,
// so that another thread can do it.
#pragma once

#include "app/models/graph_plan.h"

#include "engine/explain/graph_diff.h"

#include <memory>
#include <optional>
#include <unordered_map>

namespace footlight::app {

// Copies of what a diff needs: the two graphs, those they call, and where their nodes come from.
struct DiffInput {
  GraphId left, right;
  std::vector<session::GraphRecord> graphs;
  std::vector<session::CodeRecord> codes;
  std::vector<session::FileRecord> files;
  std::vector<std::string> captures;  // captures of the right graph
};
DiffInput diff_input(const Document& document, GraphId left, GraphId right);

// A node of a diff: a pair of graphs and the place in its nodes.
struct DiffPlace {
  size_t pair = 0, entry = 0;
  friend auto operator<=>(const DiffPlace&, const DiffPlace&) = default;
};

class GraphsDiff {
 public:
  // `go_on` may throw to cancel.
  static std::shared_ptr<const GraphsDiff> make(DiffInput input, const explain::GoOn& go_on = {});

  GraphId left() const { return diff_.pairs.front().left; }
  GraphId right() const { return diff_.pairs.front().right; }
  const explain::GraphDiff& diff() const { return diff_; }
  const std::vector<DiffPlace>& differences() const { return differences_; }
  const explain::NodeDiff& entry(DiffPlace place) const { return diff_.pairs[place.pair].nodes[place.entry]; }
  // The node of that graph; on either side.
  std::optional<DiffPlace> find(GraphId graph, uint32_t node, bool on_left) const;
  std::optional<DiffPlace> find(GraphId graph, uint32_t node) const;  // the right side first
  bool holds(GraphId graph) const;                                    // one of the two, or one that they call
  // The node on one side; null if it is only on the other.
  const session::NodeRecord* node(DiffPlace place, bool on_left) const;

  // Both graphs as one, and only what differs with its neighbours. Their nodes have places instead of ids.
  const Document& merged() const { return merged_; }
  GraphId merged_root() const { return GraphId(0); }
  GraphId changes_root() const { return GraphId(1); }
  static DiffPlace place_in_merged(GraphId graph, uint32_t node) { return {graph.value / 2, node}; }
  static GraphId graph_in_merged(size_t pair, bool only_changes) {
    return GraphId(static_cast<uint32_t>(pair * 2 + only_changes));
  }

  // "value 0.1 → 0.05; ..."
  QString what_changed(DiffPlace place) const;
  // "cond then_branch": the calls around a pair of graphs; empty for the two themselves.
  QString inside(size_t pair) const;

 private:
  void merge(const DiffInput& input);
  session::GraphRecord merged_graph(size_t pair) const;
  session::GraphRecord changes_of(size_t pair, const session::GraphRecord& merged) const;

  std::vector<session::GraphRecord> graphs_;
  std::unordered_map<GraphId, size_t> graph_at_;
  explain::GraphDiff diff_;
  std::vector<DiffPlace> differences_;
  std::unordered_map<uint64_t, DiffPlace> on_left_, on_right_;  // keyed by graph and node
  Document merged_;
};

// "#1", "f32[32,8] 0.1"; for each stage of each trace that has a graph.
struct GraphChoice {
  GraphId graph;
  TraceId trace;
  QString text;    // "train_step #1", with the stage if it is not the traced one
  QString detail;  // the signature
};
std::vector<GraphChoice> graph_choices(const Document& document);
// The trace that this one is compared with: the nearest earlier, else the one before, else the one after; none if it
// is alone.
const session::TraceRecord* compared_with(const Document& document, const session::TraceRecord& trace);

// The picture of a diff: one of the graphs, both as one, or only the differences.
enum class DiffPart { kLeft, kRight, kMerged, kChanges };
// The place of a node in a picture; empty if it is not in it.
struct PartNode {
  GraphId graph;
  uint32_t node = 0;
  QString name;
};
std::optional<PartNode> node_in(const GraphsDiff& diff, DiffPlace place, DiffPart part);
std::optional<DiffPlace> place_of_node(const GraphsDiff& diff, GraphId graph, uint32_t node, DiffPart part);
// Opens the scopes and bodies around a node.
void open_way_to(GraphOptions& options, const GraphsDiff& diff, DiffPlace place, DiffPart part);
// Options with which every difference is visible, as long as there are not too many.
GraphOptions options_to_see(const GraphsDiff& diff, const Document& document, GraphId root, DiffPart part);
// Marks the boxes of a plan of that picture.
void mark_plan(GraphPlan& plan, const GraphsDiff& diff, DiffPart part);
// The folded scope of the plan in which the node is; -1.
int scope_around(const GraphPlan& plan, const PartNode& node);

}  // namespace footlight::app
