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

// What pruning keeps of a program's root graph.
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

// The traced node whose work an inserted node does. Events and errors name the traced one.
struct Origin {
  const Graph* graph = nullptr;  // null: it does part of the work of the node that it was inserted before
  NodeId node = {};
};

// A node that a pass added.
struct Inserted {
  Node node;
  NodeId before;
  Origin origin;
  NodeName name_prefix;  // "call/" for a node copied from a callee; the copies of one graph share this text

  std::string name() const { return std::string(name_prefix) + node.name; }
};

class Rewrite {
 public:
  explicit Rewrite(const Graph&);

  // The graph's nodes with their own ids, then the inserted ones.
  const Graph& graph() const { return graph_; }
  size_t size() const { return live_.size(); }
  bool is_inserted(NodeId id) const { return id.value >= graph_.size(); }
  const Node& node(NodeId id) const {
    return is_inserted(id) ? inserted_[id.value - graph_.size()].node : graph_.node(id);
  }
  std::string name(NodeId id) const {
    return is_inserted(id) ? inserted_[id.value - graph_.size()].name() : std::string(graph_.node(id).name);
  }
  // For inserted nodes only.
  const NodeName& name_prefix(NodeId id) const { return inserted_[id.value - graph_.size()].name_prefix; }
  // The node of the graph before which `id` was inserted, or `id` itself.
  NodeId traced_node(NodeId id) const {
    while (is_inserted(id)) id = inserted_[id.value - graph_.size()].before;
    return id;
  }
  Origin origin(NodeId id) const {
    return is_inserted(id) ? inserted_[id.value - graph_.size()].origin : Origin{&graph_, id};
  }
  bool is_live(NodeId id) const { return live_[id.value]; }
  // The nodes in execution order: each inserted one directly before the node it was inserted for.
  std::vector<NodeId> order() const;

  // The nodes that run graphs (branches, loops, calls), including removed ones.
  const std::vector<NodeId>& control_flow_nodes() const { return control_flow_nodes_; }
  // Whether the user set the shape of some tensor, which may turn out to be different at run time.
  bool has_user_set_shape() const { return has_user_set_shape_; }

  // The interface for callers: at first the graph's own; passes over callers and callees change both together.
  std::vector<NodeId> inputs;   // Placeholders
  std::vector<Edge> outputs;

  // The value of an edge after all replacements.
  Edge resolve(Edge) const;
  bool is_replaced(Edge edge) const { return replacement_[value_index(edge)].node.valid(); }
  // The value of an edge if it is a constant, else null.
  const Tensor* constant(Edge) const;
  DType dtype(Edge edge) const { return node(edge.node).dtypes[edge.output]; }
  const Shape& shape(Edge edge) const { return node(edge.node).shapes[edge.output]; }
  // Index of a node's output in an array with one element for each output of each node.
  size_t value_index(Edge edge) const { return first_output_[edge.node.value] + edge.output; }
  size_t num_values() const { return replacement_.size(); }

  // The changes that follow are recorded as those of this pass.
  void begin_pass(const char* pass) { passes_.push_back(pass); }
  void replace(Edge value, Edge by);
  void remove(NodeId);
  void remove(NodeId, NodeId by);  // node `by` does the work of `id` from now on
  NodeId insert(Node, NodeId before, Origin = {}, NodeName name_prefix = {});
  Node& inserted_node(NodeId id) { return inserted_[id.value - graph_.size()].node; }
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
  void add_change(Change::Action action, Edge value, Edge by = {});

  const Graph& graph_;
  std::deque<Inserted> inserted_;       // a deque, so that references to nodes stay valid
  std::vector<bool> live_;
  std::vector<uint32_t> first_output_;  // index in replacement_ of each node's first output
  std::vector<Edge> replacement_;       // one for each output; invalid if it is not replaced
  std::vector<NodeId> control_flow_nodes_;
  bool has_user_set_shape_ = false;
  std::vector<const char*> passes_;
  std::vector<Change> changes_;
};

// Whether the nodes of an op run graphs.
inline bool runs_graphs(const OpRow& op) {
  return op.execution == Execution::kIf || op.execution == Execution::kWhile || op.execution == Execution::kCall;
}

}  // namespace footlight::optimize
