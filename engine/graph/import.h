// Importing nodes of a file into a graph: the request to a reader of files (engine/formats), and its result.
#pragma once

#include "engine/graph/graph.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace footlight {

struct GraphImport {
  Graph& graph;                     // receives the nodes
  std::function<NodeId(Node)> add;  // adds a finished node, whose inputs are in the graph already
  std::string prefix;               // prefix of all names: "import/", or empty
  // Tensors and nodes of the graph that replace those of the file, by the names of inputs there: "x:0", "x".
  std::vector<std::pair<std::string, Edge>> inputs;
  std::vector<std::pair<std::string, NodeId>> controls;
  std::vector<std::string> wanted;  // names of nodes ("x") and tensors ("x:1") in the file

  struct Element {
    NodeId node;
    int64_t output = -1;  // -1: the node itself
  };
  std::vector<Element> found;  // one for each of `wanted`
};

}  // namespace footlight
