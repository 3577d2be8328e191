// The changes that passes make to a graph, stored separately: the graph itself stays as traced, for display. Each
// change is stored with its pass, and each run of a pass has its own number.
#pragma once

#include "engine/graph/graph.h"

#include <deque>
#include <span>
#include <vector>

namespace footlight::optimize {

// Runs one op on known values; throws if the op throws.
using Evaluator = std::vector<Tensor> (*)(const OpRow&, std::span<const Tensor>, const Attrs&);

// What of a program's root graph must stay.
enum class Keep : uint8_t { kOutputsAndEffects, kOutputs };

// One change made by a pass.
struct Change {
  enum class Action : uint8_t {
    kReplaced,  // users of `value` use `by` instead
    kInserted,  // the node of `value` is new and runs directly before the node of `by`
    kRemoved,   // the node of `value` does not run: it is unused, or, where `by` is a node, that does its work
  };
  uint16_t pass;  // position in Rewrite::passes
  Action action;
  Edge value;
  Edge by = {};
};
const char* name_of(Change::Action);  // "replaced", ...

// The traced node whose work an inserted one does. Events and errors name that.
struct Origin {
  const Graph* graph = nullptr;  // null: it works for the node that it was inserted before
  NodeId node = {};
};

// A node that a pass added.
struct Inserted {
  Node node;
  NodeId before;
  Origin origin;
  NodeName inside;  // "call/", of a copy: its name begins so, in memory that the copies of one graph share

  std::string name() const { return std::string(inside) + node.name; }
};

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
  std::string name(NodeId id) const {
    return inserted(id) ? inserted_[id.value - graph_.size()].name() : std::string(graph_.node(id).name);
  }
  const NodeName& inside(NodeId id) const { return inserted_[id.value - graph_.size()].inside; }  // for inserted nodes
  // The node of the graph before which `id` was inserted, or `id` itself.
  NodeId traced(NodeId id) const {
    while (inserted(id)) id = inserted_[id.value - graph_.size()].before;
    return id;
  }
  Origin origin(NodeId id) const {
    return inserted(id) ? inserted_[id.value - graph_.size()].origin : Origin{&graph_, id};
  }
  bool live(NodeId id) const { return live_[id.value]; }
  // The nodes in execution order: each inserted one directly before the node it was inserted for.
  std::vector<NodeId> order() const;

  // The nodes that run graphs, also those that do not live any more.
  const std::vector<NodeId>& controls() const { return controls_; }
  bool any_shape_said() const { return shape_said_; }  // set by the user: a shape may turn out to be different

  // The interface for callers: at first the graph's own; passes over callers and callees change both together.
  std::vector<NodeId> inputs;   // Placeholders
  std::vector<Edge> outputs;

  // The value of an edge after all replacements.
  Edge resolve(Edge) const;
  bool replaced(Edge edge) const { return replacement_[slot(edge)].node.valid(); }
  // The value of an edge if it is a constant, else null.
  const Tensor* constant(Edge) const;
  DType dtype(Edge edge) const { return node(edge.node).dtypes[edge.output]; }
  const Shape& shape(Edge edge) const { return node(edge.node).shapes[edge.output]; }
  // Index of a node's output in an array of `slots` elements, one per output.
  size_t slot(Edge edge) const { return first_output_[edge.node.value] + edge.output; }
  size_t slots() const { return replacement_.size(); }

  // Called at the start of a pass: the changes that follow are made by it.
  void begin(const char* pass) { passes_.push_back(pass); }
  void replace(Edge value, Edge by);
  void remove(NodeId);
  void remove(NodeId, NodeId by);  // node `by` does the work of `id` from now on
  NodeId insert(Node, NodeId before, Origin = {}, NodeName inside = {});
  Node& made(NodeId id) { return inserted_[id.value - graph_.size()].node; }  // for inserted nodes
  // A constant with the source of the node that it is inserted before.
  NodeId insert_constant(Tensor value, NodeId before, std::string name);
  // The passes that ran, in their order, and what they changed.
  const std::vector<const char*>& passes() const { return passes_; }
  const std::vector<Change>& changes() const { return changes_; }

  // The results of the rewrite, for the compiler.
  std::deque<Inserted> take_inserted() { return std::move(inserted_); }
  std::vector<Change> take_changes() { return std::move(changes_); }

 private:
  void add_outputs(const Node&);
  void note(Change::Action action, Edge value, Edge by = {});

  const Graph& graph_;
  std::deque<Inserted> inserted_;       // their nodes stay where they are
  std::vector<bool> live_;
  std::vector<uint32_t> first_output_;  // index in replacement_ of each node's first output
  std::vector<Edge> replacement_;       // one for each output; invalid if it is not replaced
  std::vector<NodeId> controls_;
  bool shape_said_ = false;
  std::vector<const char*> passes_;
  std::vector<Change> changes_;
};

// Whether the nodes of an op run graphs.
inline bool runs_graphs(const OpRow& op) {
  return op.execution == Execution::kIf || op.execution == Execution::kWhile || op.execution == Execution::kCall;
}

}  // namespace footlight::optimize
