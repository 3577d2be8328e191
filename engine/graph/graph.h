// A graph: nodes in the order in which they were made, the values that leave it, and who made each node.
#pragma once

#include "engine/ops/builder.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace footlight {

struct Edge {
  NodeId node;
  uint32_t output = 0;
  friend constexpr bool operator==(Edge, Edge) = default;
};

struct Node {
  const OpRow* op = nullptr;
  std::string name;                  // unique in its graph, as TensorFlow would name it
  std::vector<Edge> inputs;
  std::vector<NodeId> control_inputs;
  Attrs attrs;
  std::vector<DType> dtypes;         // of the outputs
  std::vector<Shape> shapes;
  SourceRef source;                  // the user's line
  std::string device;                // what the user asked for with tf.device, else empty
  bool shape_said = false;           // by the user (set_shape): it may turn out to be another
};

class Graph : public std::enable_shared_from_this<Graph> {
 public:
  explicit Graph(std::string name) : name_(std::move(name)) {}
  const std::string& name() const { return name_; }
  void rename(std::string name) { name_ = std::move(name); }
  GraphId id;                        // in the session, once recorded

  NodeId add(Node);                  // gives a unique name under the current name scope
  NodeId add_named(Node);            // the name is unique already
  const Node& node(NodeId id) const { return nodes_[id.value]; }
  Node& node(NodeId id) { return nodes_[id.value]; }
  size_t size() const { return nodes_.size(); }

  std::vector<NodeId> inputs;        // Placeholder nodes: the parameters first, then the captures
  std::vector<Edge> outputs;
  std::vector<NodeId> control_outputs;  // effects that must have happened when a call of the graph returns

  size_t parameters = 0;             // so many of the inputs; a caller puts what was captured into the others
  std::string made_by;               // "function 'step' (train.py:14)", for messages

  // What engine/trace keeps for calls of this graph under a tape; goes with the graph.
  std::shared_ptr<void> derivative;
  std::shared_ptr<void> custom_gradients;  // what the user gave parts of it, kept by engine/trace as well

  std::string unique_name(std::string_view wanted);   // wanted without the scope; marks it as used
  std::string unique_full_name(std::string_view wanted);  // wanted with the scope
  std::string name_scope;            // "outer/inner/" or empty

  Tensor tensor(Edge);               // a symbolic tensor for one output

 private:
  std::string name_;
  std::vector<Node> nodes_;
  std::unordered_map<std::string, int> used_names_;
};

// Every graph that nodes of `graph` call, directly or not, each once, callees in order of first use.
std::vector<GraphPtr> library_of(const Graph& graph);

// A graph's own copy of another: same nodes, names, inputs and outputs; nodes may be added to it.
GraphPtr clone(const Graph&);

// Names for functions as TensorFlow gives them: "cond_true_" + a number that is unique in the process.
std::string numbered(std::string_view prefix);

}  // namespace footlight
