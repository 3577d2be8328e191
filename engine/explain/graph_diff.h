// What differs between two recorded graphs and the graphs that they call: nodes by structure (graph_match.h), and for
// each matched node what changed.
#pragma once

#include "engine/explain/graph_match.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace footlight::explain {

enum class NodeState : uint8_t { kSame, kChanged, kOnlyLeft, kOnlyRight };
const char* name_of(NodeState);  // "same", "changed", "only left", "only right"

enum class ChangeKind : uint8_t { kAttribute, kConstant, kOutput, kInput, kControls, kArgument, kBody };
const char* name_of(ChangeKind);  // "attribute", "constant", "output", "input", ...

struct NodeChange {
  ChangeKind kind = ChangeKind::kAttribute;
  std::string what;         // "alpha", "input 1", "then_branch"
  std::string left, right;  // names of nodes, values
  bool value = false;       // a number or a size: the structure is the same
};

struct NodeDiff {
  NodeState state = NodeState::kSame;
  uint32_t left = kNoNode, right = kNoNode;  // positions in their graphs
  std::vector<NodeChange> changes;
  bool follows = false;                      // only sizes changed, and sizes or values of an input did too
  bool own() const;                          // differs by itself, not only in a graph that it calls
};

// A pair of graphs: first the two that were asked for, then those that matched nodes call.
struct GraphPair {
  GraphId left, right;
  size_t owner = 0;                  // the pair of the node that calls them
  uint32_t owner_left = kNoNode;     // that node; kNoNode: nobody
  std::string role;                  // "then_branch"
  std::vector<NodeDiff> nodes;       // in the left graph's order, each only-right one after its predecessor
  std::vector<uint32_t> of_left, of_right;  // a node's place in `nodes`
  std::vector<NodeChange> results;   // outputs of the graphs that come from elsewhere
};

struct DiffCounts {
  size_t same = 0, changed = 0, only_left = 0, only_right = 0, results = 0;
  size_t differences() const { return changed + only_left + only_right + results; }
};

struct GraphDiff {
  std::vector<GraphPair> pairs;
  DiffCounts counts;
  size_t not_recorded = 0;  // called graphs that could not be compared

  // "identical graphs", "the graphs differ only in 2 constants",
  // "3 nodes changed (shape of MatMul, ...), 2 only left, 5 only right".
  std::string sentence;

  // Places in `pairs` and their `nodes` of everything that is not the same, in the order of the graphs. A node that
  // only calls graphs with differences is left out: those are listed themselves.
  std::vector<std::pair<size_t, size_t>> differences() const;
};

struct DiffSide {
  std::function<const session::GraphRecord*(GraphId)> graph;   // null: not recorded
  std::function<uint64_t(const session::NodeRecord&)> line = {};  // equal for nodes of one source line, 0: unknown
};

// Both graphs have to be there. `go_on` is called now and then and may throw to cancel.
GraphDiff diff_graphs(const DiffSide& left, GraphId a, const DiffSide& right, GraphId b, const GoOn& go_on = {});

// "alpha 0.2 → 0.3".
std::string words(const NodeChange& change);

}  // namespace footlight::explain
