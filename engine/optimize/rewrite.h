// What passes decide about a graph, beside it: the graph itself stays as it was traced, for people to look at. Every
// decision is kept with the pass that took it.
#pragma once

#include "engine/graph/graph.h"

#include <span>
#include <vector>

namespace footlight::optimize {

// Runs one op on known values; throws what the op throws.
using Evaluator = std::vector<Tensor> (*)(const OpRow&, std::span<const Tensor>, const Attrs&);

// One decision of a pass.
struct Change {
  enum class Action : uint8_t {
    kReplaced,  // users of `value` take `by` instead
    kInserted,  // the node of `value` is new, and runs directly before the node of `by`
    kRemoved,   // the node of `value` does not run: nobody needs it
  };
  const char* pass;
  Action action;
  Edge value;
  Edge by = {};
};
const char* name_of(Change::Action);  // "replaced", ...

class Rewrite {
 public:
  explicit Rewrite(const Graph&);

  // The graph's nodes with their own ids, then the inserted ones.
  const Graph& graph() const { return graph_; }
  size_t size() const { return live_.size(); }
  bool inserted(NodeId id) const { return id.value >= graph_.size(); }
  const Node& node(NodeId id) const {
    return inserted(id) ? inserted_[id.value - graph_.size()].node : graph_.node(id);
  }
  // The node of the graph that an inserted one stands before; others are it themselves.
  NodeId traced(NodeId id) const {
    while (inserted(id)) id = inserted_[id.value - graph_.size()].before;
    return id;
  }
  bool live(NodeId id) const { return live_[id.value]; }
  // The nodes in the order in which they run: each inserted one directly before the node it was inserted for.
  std::vector<NodeId> order() const;

  // The value that an edge means after all replacements.
  Edge resolve(Edge) const;
  bool replaced(Edge edge) const { return replacement_[slot(edge)].node.valid(); }
  // The value of an edge when it is a constant, else null.
  const Tensor* constant(Edge) const;

  // What passes do; noted under `pass`.
  void replace(const char* pass, Edge value, Edge by);
  void remove(const char* pass, NodeId);
  NodeId insert(const char* pass, Node, NodeId before);
  const std::vector<Change>& changes() const { return changes_; }

  // What a finished rewrite leaves to whoever runs it.
  std::vector<Node> take_inserted();
  std::vector<Change> take_changes() { return std::move(changes_); }

 private:
  struct Inserted {
    Node node;
    NodeId before;
  };
  size_t slot(Edge edge) const { return first_output_[edge.node.value] + edge.output; }
  void add_outputs(const Node&);

  const Graph& graph_;
  std::vector<Inserted> inserted_;
  std::vector<bool> live_;
  std::vector<uint32_t> first_output_;  // of each node, into replacement_
  std::vector<Edge> replacement_;       // of each output; no node when there is none
  std::vector<Change> changes_;
};

// The passes, in the order in which they run.
void forward_identities(Rewrite&);
void fold_constants(Rewrite&, Evaluator);
enum class Keep : uint8_t { kOutputsAndEffects, kOutputs };
void prune(Rewrite&, Keep);

// All of them. Without an evaluator nothing is folded.
Rewrite optimize(const Graph&, Evaluator, Keep = Keep::kOutputsAndEffects);

}  // namespace footlight::optimize
