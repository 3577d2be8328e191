// A graph: nodes in creation order, its outputs, and the source line of each node.
#pragma once

#include "engine/base/copy_on_write.h"
#include "engine/base/small_vector.h"
#include "engine/graph/node_name.h"
#include "engine/ops/builder.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace footlight {

struct Edge {
  NodeId node;
  uint32_t output = 0;
  friend constexpr bool operator==(Edge, Edge) = default;
};

constexpr uint32_t kNoCallSite = UINT32_MAX;

// The name of a device that the user requested with tf.device, or none. Each name is stored once.
class DeviceName {
 public:
  DeviceName() = default;
  DeviceName(const std::string& text);  // NOLINT: as a string
  bool empty() const { return !text_; }
  const std::string& text() const;
  friend bool operator==(DeviceName, DeviceName) = default;

 private:
  const std::string* text_ = nullptr;
};

// The attributes of a node. Nodes share them until one node's are changed.
class NodeAttrs {
 public:
  NodeAttrs() = default;
  NodeAttrs(Attrs attrs);  // NOLINT: as attributes
  NodeAttrs(std::initializer_list<std::pair<AttrName, AttrValue>> values) : NodeAttrs(Attrs(values)) {}
  operator const Attrs&() const { return attrs_ ? *attrs_ : none(); }  // NOLINT: as attributes
  const Attrs& all() const { return *this; }
  void set(AttrName, AttrValue);
  const AttrValue* find(AttrName name) const { return all().find(name); }
  template <class T>
  const T& get(AttrName name) const { return all().get<T>(name); }
  template <class T>
  T get_or(AttrName name, T otherwise) const { return all().get_or<T>(name, std::move(otherwise)); }
  size_t size() const { return all().size(); }
  bool empty() const { return all().empty(); }
  auto begin() const { return all().begin(); }
  auto end() const { return all().end(); }
  // Shares the other's attributes if they are equal and hold no tensor; returns whether it does.
  bool share(const NodeAttrs& other);

 private:
  static const Attrs& none();
  CopyOnWrite<Attrs> attrs_;
};

// The shapes of a node's outputs. Nodes share them until one node's are changed.
class NodeShapes {
 public:
  NodeShapes() = default;
  NodeShapes(std::vector<Shape> shapes);  // NOLINT: as a vector
  NodeShapes(std::initializer_list<Shape> shapes) : NodeShapes(std::vector<Shape>(shapes)) {}
  const std::vector<Shape>& all() const { return shapes_ ? *shapes_ : none(); }
  operator const std::vector<Shape>&() const { return all(); }  // NOLINT: as a vector
  const Shape& operator[](size_t i) const { return (*shapes_)[i]; }
  size_t size() const { return all().size(); }
  auto begin() const { return all().begin(); }
  auto end() const { return all().end(); }
  std::vector<Shape>& own() { return shapes_.own(); }  // a copy of its own that may be changed
  friend bool operator==(const NodeShapes& a, const NodeShapes& b) { return a.all() == b.all(); }

 private:
  static const std::vector<Shape>& none();
  CopyOnWrite<std::vector<Shape>> shapes_;
};

// A short list of a node, stored inline where possible because graphs have many nodes.
template <class T, uint32_t N>
class NodeList : public SmallVector<T, N> {
 public:
  NodeList() = default;
  template <class It>
  NodeList(It first, It last) : SmallVector<T, N>(first, last) {}
  NodeList(std::initializer_list<T> values) : SmallVector<T, N>(values.begin(), values.end()) {}
  NodeList(const std::vector<T>& values) : SmallVector<T, N>(values.begin(), values.end()) {}  // NOLINT: as a vector
  void resize(size_t size) { SmallVector<T, N>::resize(static_cast<uint32_t>(size)); }
  void reserve(size_t size) { SmallVector<T, N>::reserve(static_cast<uint32_t>(size)); }
  std::vector<T> to_vector() const { return {this->begin(), this->end()}; }
};

struct Node {
  const OpRow* op = nullptr;
  NodeName name;                     // unique in its graph, as TensorFlow would name it
  NodeList<Edge, 3> inputs;
  NodeList<NodeId, 2> control_inputs;
  NodeAttrs attrs;
  NodeList<DType, 8> dtypes;         // dtypes of the outputs
  NodeShapes shapes;
  SourceRef source;                  // the user's line
  uint32_t call_site = kNoCallSite;  // the call stack, if it is recorded: engine/trace/call_sites.h
  bool shape_said = false;           // set by the user (set_shape): the actual shape may differ
  DeviceName device;
};

class Graph : public std::enable_shared_from_this<Graph> {
 public:
  explicit Graph(std::string name) : name_(std::move(name)) {}
  const std::string& name() const { return name_; }
  void rename(std::string name) { name_ = std::move(name); }
  GraphId id;                        // the id in the session, once recorded

  NodeId add(Node);                  // gives a unique name under the current name scope
  NodeId add_named(Node);            // the name must be unique already
  const Node& node(NodeId id) const { return nodes_[id.value]; }
  Node& node(NodeId id) { return nodes_[id.value]; }
  size_t size() const { return nodes_.size(); }
  // The shapes of a new node, shared with the last node's if they are equal.
  NodeShapes shared(std::vector<Shape> shapes) const;
  void trim() { nodes_.shrink_to_fit(); }  // called when the graph is complete

  std::vector<NodeId> inputs;        // Placeholder nodes: the parameters first, then the captures
  std::vector<Edge> outputs;
  std::vector<NodeId> control_outputs;  // effects that must have happened when a call of the graph returns
  // Nodes of enclosing graphs that must run before any call of this one. Added while it is built.
  std::vector<std::pair<std::weak_ptr<Graph>, NodeId>> waits_for;

  bool finalized = false;            // nothing may be added any more
  bool is_function = true;           // false: a tf.Graph, of which users may request any tensor
  GraphSeed seed;                    // the seed of a tf.Graph
  // Whether some node, or a graph that one calls, has an effect on no resource (a print, a check).
  bool affects_elsewhere = false;
  size_t parameters = 0;             // how many inputs are parameters; callers pass captures for the rest
  std::string made_by;               // "function 'step' (train.py:14)", for messages
  Attrs attrs;                       // attributes of the function in a GraphDef's library
  GraphPtr gradient;                 // the function of the same library that computes its gradient, if one is named

  // Kept by engine/trace for calls of this graph under a tape; freed with the graph.
  std::shared_ptr<void> derivative;
  std::shared_ptr<void> custom_gradients;  // custom gradients of parts of it, also kept by engine/trace

  std::string unique_name(std::string_view wanted);   // wanted without the scope; marks it as used
  std::string unique_full_name(std::string_view wanted);  // wanted with the scope
  std::string name_scope;            // "outer/inner/" or empty

  // What the open scopes add to new nodes: tf.Graph.colocate_with, gradient_override_map.
  struct Marks {
    std::vector<std::string> groups;   // "loc:@name"
    std::string device;                // the first device among the groups' nodes
    std::map<std::string, std::string, std::less<>> gradients;  // for each type of op, the type whose gradient it uses
    std::function<void(Graph&, NodeId)> added;  // called for each added node: tf.Graph.device with a function
    bool any() const { return !groups.empty() || !gradients.empty(); }
  } marks;

  Tensor tensor(Edge);               // a symbolic tensor for one output

 private:
  std::string name_;
  std::vector<Node> nodes_;
  // The names that are taken, in lower case, each with the next number to try: "add" with 3 stands for "add_1" and
  // "add_2" too, so that many nodes of one op cost one entry.
  struct HashOfName {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
  };
  bool taken(std::string_view name) const;
  std::unordered_map<std::string, uint32_t, HashOfName, std::equal_to<>> used_names_;
};

// Whether a node has an effect that is on no resource. Drawing a random number is not one.
bool affects_elsewhere(const Graph& graph, const Node& node);

// Every graph that nodes of `graph` call, directly or not, each once, callees in order of first use; a gradient that is
// named for one comes after those that it calls.
std::vector<GraphPtr> library_of(const Graph& graph);

// A copy of a graph: same nodes, names, inputs and outputs; nodes may be added to it.
GraphPtr clone(const Graph&);

// Function names as TensorFlow makes them: "cond_true_" + a number that is unique in the process.
std::string numbered(std::string_view prefix);

}  // namespace footlight
