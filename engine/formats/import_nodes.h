// A list of NodeDefs as nodes of a graph: those of a GraphDef, or those of a function of its library.
#pragma once

#include "engine/formats/attributes.h"
#include "engine/graph/graph.h"

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace footlight::formats {

using NodeDefs = google::protobuf::RepeatedPtrField<NodeDef>;

// How inputs are written: "x:1" in a graph; the argument "x" and "split:output:1" in a function.
enum class Style : uint8_t { kGraph, kFunction };

class NodeReader {
 public:
  NodeReader(Reading& reading, Graph& graph, const NodeDefs& defs, Style style)
      : reading_(reading), graph_(graph), defs_(defs), style_(style) {}

  std::string prefix;                                    // of all names
  std::function<NodeId(Node)> add;
  // What inputs may refer to besides nodes: tensors ("x:0"; arguments: "x", and "x:1" of a list), and nodes ("x").
  std::unordered_map<std::string, Edge> tensors;
  std::unordered_map<std::string, NodeId> controls;

  // Adds all nodes, inputs first.
  void read();

  // The tensor that an input refers to; throws if there is none.
  Edge tensor(std::string_view reference) const;
  // The node of the file by its name there; invalid: none.
  NodeId node(std::string_view name) const;
  bool has_tensor(std::string_view reference) const;

 private:
  void index();
  std::vector<uint32_t> order() const;
  std::string_view node_part(std::string_view reference) const;
  bool outside(std::string_view reference, Edge& found) const;
  void read_node(uint32_t index);
  Node node_from(const NodeDef&);
  void read_inputs(const NodeDef&, Node&) const;
  std::string unused_name(const std::string& own);

  Reading& reading_;
  Graph& graph_;
  const NodeDefs& defs_;
  const Style style_;
  std::unordered_map<std::string_view, uint32_t> by_name_;  // into defs_
  std::vector<NodeId> made_;                                // of each of defs_
  std::unordered_set<std::string> taken_;                // names that the graph had before
};

// Finishes a node that calls functions, or any other one: dtypes and shapes of its outputs, and the attributes that
// follow from its inputs. Throws where what the node says of itself is not so.
void settle(Graph& graph, Node& node, Reading& reading);

}  // namespace footlight::formats
