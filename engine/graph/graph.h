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
};

class Graph : public std::enable_shared_from_this<Graph> {
 public:
  explicit Graph(std::string name) : name_(std::move(name)) {}
  const std::string& name() const { return name_; }
  GraphId id;                        // in the session, once recorded

  NodeId add(Node);                  // gives a unique name under the current name scope
  const Node& node(NodeId id) const { return nodes_[id.value]; }
  Node& node(NodeId id) { return nodes_[id.value]; }
  size_t size() const { return nodes_.size(); }

  std::vector<NodeId> inputs;        // Placeholder nodes: the parameters first, then the captures
  std::vector<Edge> outputs;

  std::string unique_name(std::string_view wanted);
  std::string name_scope;            // "outer/inner/" or empty

 private:
  std::string name_;
  std::vector<Node> nodes_;
  std::unordered_map<std::string, int> used_names_;
};

}  // namespace footlight
