// Builds the graph of a trace: applied ops become nodes, values from outside become constants or captures.
#pragma once

#include "engine/graph/graph.h"
#include "engine/trace/needed_edges.h"

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace footlight::trace {

class GraphBuilder final : public Builder {
 public:
  // kGraph: a tf.Graph, which is no function: it captures nothing, and uses variables through nodes that hold them.
  enum class Kind : uint8_t { kFunction, kBranch, kCondition, kBody, kScratch, kGradient, kGraph };
  explicit GraphBuilder(std::string name, Kind kind = Kind::kFunction);
  explicit GraphBuilder(GraphPtr graph);  // continues a tf.Graph (kGraph) or an unfinished kFunction

  std::vector<Tensor> emit(const OpRow&, std::span<const Tensor>, const Attrs&, std::string_view name) override;
  Tensor emit_one(const OpRow&, std::span<const Tensor>, const Attrs&, std::string_view name) override;
  Tensor constant_value(const Tensor&) override;
  bool is_graph() const override { return true; }
  std::string enter_scope(std::string_view name) override;
  void leave_scope(std::string before) override { graph_->name_scope = std::move(before); }
  std::string scope() override { return graph_->name_scope; }

  // A Placeholder for a caller's argument. `user_name` is GraphDef's _user_specified_name; empty: none.
  Tensor parameter(DType, const Shape&, std::string_view name, std::string_view user_name,
                   Resource* stands_for = nullptr);
  // The node for an outside value, always the same one. `name` is relative to the current scope.
  Tensor capture(const Tensor& outside, std::string_view name, std::string_view user_name);
  // Makes a value a tensor of this graph: a Python value becomes a constant, an outside tensor a capture.
  Tensor bring_in(const Tensor&, const std::string& scope, std::string_view argument);
  // The same for a value that is not an op's argument: a Python value becomes a node named "Const".
  Tensor as_own(const Tensor&);
  // The node for an outside value, also for a Python value; a tensor of this graph stays unchanged.
  Tensor as_captured(const Tensor&);
  // An unused input, to match the inputs of another graph.
  void add_unused_input(const Tensor& like, std::string_view full_name);
  // Reorders captures as in `wanted`, which must contain all of them.
  void order_captures(std::span<const Tensor> wanted);
  // A node whose dtypes and shapes the caller knows (branches, loops, calls).
  std::vector<Tensor> add_known(const OpRow&, std::span<const Tensor> inputs, Attrs, std::vector<DType>,
                                std::vector<Shape>, std::string_view name, bool name_is_unique = false);
  // Adds a complete node, from a file or another graph: its inputs are nodes of this graph, and its name is taken
  // already.
  NodeId adopt(Node);
  // Finishes the trace: adds an Identity for each output, and control dependencies.
  void finish(std::span<const Tensor> outputs);
  Tensor mark_output(const Tensor& output);         // the Identity of one output, added now
  void finish_marked(std::vector<Tensor> marked);   // outputs that went through mark_output

  const GraphPtr& graph() const { return graph_; }
  Kind kind() const { return kind_; }
  GraphBuilder* outer() const { return outer_; }
  // Expires with the builder, for code that may keep its address longer.
  std::weak_ptr<const void> life() const { return life_; }
  const std::vector<Tensor>& captures() const {
    return captures_;
  }  // in the order of graph().inputs behind the parameters
  bool stateful() const { return stateful_; }
  // The last node of this graph that wrote to the resource, if any.
  NodeId last_write(const Tensor& handle);
  Graph* source = nullptr;             // for a gradient: the finished graph whose tensors it may capture
  std::vector<const Graph*> source_originals;  // graphs of which it is a copy: their tensors stand for the copy's
  std::vector<NodeId> control_scope;   // control inputs for every node that is added (tf.control_dependencies)
  std::string device;                  // tf.device, written into nodes
  // The user decides the order (tf.Graph, wrap_function): effects are not ordered, outputs get no Identity.
  bool as_written = false;

  // A node for each op with an effect; used when a graph is called from this one.
  static GraphBuilder* innermost();    // on this thread; null outside of any trace

 private:
  struct ResourceUse {
    NodeId last_write;
    std::vector<NodeId> reads;
  };
  NodeId add(const OpRow&, std::span<const Tensor>, const Attrs&, std::string_view name);
  NodeId add_placeholder(DType, const Shape&, std::string full_name, std::string_view user_name);
  Tensor constant_node(const Tensor& value, std::string_view name);
  void order_effects(NodeId, const std::vector<bool>* read_only);
  void mark(Node&) const;              // adds what the open scopes say
  static std::vector<bool> note_read_only(Attrs&, size_t inputs);
  std::vector<Tensor> outputs_of(NodeId);

  GraphPtr graph_;
  std::shared_ptr<const void> life_ = std::make_shared<char>();
  Kind kind_;
  GraphBuilder* outer_;
  std::vector<Tensor> captures_;
  Tensor variable_node(const Tensor& handle);
  std::map<std::pair<const void*, uint64_t>, size_t> captured_;  // indexes into captures_
  std::unordered_map<uint32_t, ResourceUse> resources_;          // keyed by the node of the handle
  std::unordered_map<const OpRow*, NodeAttrs> last_attrs_;       // attributes of the last node of each op, to share
  std::vector<ControlEdge> ordered_;                             // edges between effects
  bool stateful_ = false;
  std::vector<NodeId> must_run_;
};

// While it lives, ops of this thread are added to `builder`.
class Building {
 public:
  explicit Building(Builder* builder) : before_(this_thread.builder) { this_thread.builder = builder; }
  ~Building() { this_thread.builder = before_; }
  Building(const Building&) = delete;
  Building& operator=(const Building&) = delete;

 private:
  Builder* before_;
};

using NameScope = Scope;  // tf.name_scope while tracing; no effect in eager code

inline bool tracing() { return this_thread.builder != nullptr; }

// Throws for a symbolic tensor that is used outside of its graph; names the tensor and the function.
[[noreturn]] void throw_leaked(const Tensor&);

// Whether both are the same value from outside, so that one capture serves for both.
bool same_value(const Tensor&, const Tensor&);

// For each input of `graph`: a resource that the graph, and what it calls, only reads.
std::vector<bool> read_only_inputs(const Graph& graph);
// Whether any of its nodes has an effect or reads state.
bool has_effects(const Graph& graph);

}  // namespace footlight::trace
