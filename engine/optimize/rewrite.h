// The changes that passes make to a graph, kept separately: the graph itself stays as traced, for display. Each
// change is stored with the pass that made it, each run of a pass by its own number.
#pragma once

#include "engine/graph/graph.h"

#include <span>
#include <vector>

namespace footlight::optimize {

// Runs one op on known values; throws if the op throws.
using Evaluator = std::vector<Tensor> (*)(const OpRow&, std::span<const Tensor>, const Attrs&);

// One change made by a pass.
struct Change {
  enum class Action : uint8_t {
    kReplaced,  // users of `value` use `by` instead
    kInserted,  // the node of `value` is new and runs directly before the node of `by`
    kRemoved,   // the node of `value` does not run: it is unused
    kFused,     // the node of `value` runs in one walk over memory with that of `by`, its group's first or second
  };
  uint16_t pass;  // position in Rewrite::passes
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
  // The node of the graph before which `id` was inserted, or `id` itself.
  NodeId traced(NodeId id) const {
    while (inserted(id)) id = inserted_[id.value - graph_.size()].before;
    return id;
  }
  bool live(NodeId id) const { return live_[id.value]; }
  // The nodes in execution order: each inserted one directly before the node it was inserted for.
  std::vector<NodeId> order() const;

  // The value of an edge after all replacements.
  Edge resolve(Edge) const;
  bool replaced(Edge edge) const { return replacement_[slot(edge)].node.valid(); }
  // The value of an edge if it is a constant, else null.
  const Tensor* constant(Edge) const;

  // For passes, which begin first: the changes that follow are theirs.
  void begin(const char* pass) { passes_.push_back(pass); }
  void replace(Edge value, Edge by);
  void remove(NodeId);
  NodeId insert(Node, NodeId before);
  // The passes that ran, in their order, and what they changed.
  const std::vector<const char*>& passes() const { return passes_; }
  const std::vector<Change>& changes() const { return changes_; }

  // The results of the rewrite, for the compiler.
  std::vector<Node> take_inserted();
  std::vector<Change> take_changes() { return std::move(changes_); }

 private:
  struct Inserted {
    Node node;
    NodeId before;
  };
  size_t slot(Edge edge) const { return first_output_[edge.node.value] + edge.output; }
  void add_outputs(const Node&);
  void note(Change::Action action, Edge value, Edge by = {});

  const Graph& graph_;
  std::vector<Inserted> inserted_;
  std::vector<bool> live_;
  std::vector<uint32_t> first_output_;  // of each node, into replacement_
  std::vector<Edge> replacement_;       // of each output; no node if it is not replaced
  std::vector<const char*> passes_;
  std::vector<Change> changes_;
};

// The passes, in execution order.
void forward_identities(Rewrite&);
void fold_constants(Rewrite&, Evaluator);
enum class Keep : uint8_t { kOutputsAndEffects, kOutputs };
void prune(Rewrite&, Keep);

// Runs all passes. Without an evaluator, nothing is folded.
Rewrite optimize(const Graph&, Evaluator, Keep = Keep::kOutputsAndEffects);

}  // namespace footlight::optimize
