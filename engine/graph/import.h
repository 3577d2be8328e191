// Nodes of a file for a graph: what a reader of files (engine/formats) is asked for, and what it gives.
#pragma once

#include "engine/graph/graph.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace footlight {

struct GraphImport {
  Graph& graph;                     // the nodes go here
  std::function<NodeId(Node)> add;  // takes a finished node, whose inputs are in the graph already
  std::string prefix;               // of all names: "import/", or empty
  // Tensors and nodes of the graph in place of those of the file, by the names that inputs have there: "x:0", "x".
  std::vector<std::pair<std::string, Edge>> inputs;
  std::vector<std::pair<std::string, NodeId>> controls;
  std::vector<std::string> wanted;  // nodes ("x") and tensors ("x:1") of the file

  struct Element {
    NodeId node;
    int64_t output = -1;  // -1: the node itself
  };
  std::vector<Element> found;  // for each that was wanted
};

}  // namespace footlight
