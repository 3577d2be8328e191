// Finding nodes in a graph and in all that it runs; and a copy of that part of the records, for other threads.
#pragma once

#include "app/models/document.h"

#include <QStringList>

#include <memory>
#include <vector>

namespace footlight::app {

// The graph, those that its nodes run, and what says where their nodes come from. It does not change any more.
std::shared_ptr<const Document> graph_part(const Document& document, GraphId root);

struct FoundNode {
  GraphId graph;
  uint32_t node = 0;
  friend bool operator==(const FoundNode&, const FoundNode&) = default;
};

class GraphSearch {
 public:
  // Every node has its name, op, attributes, constant, shapes and dtypes, written in all ways that the window has.
  static std::shared_ptr<const GraphSearch> make(const Document& part, GraphId root);
  // The nodes with all of the words, the graph's own first, in the order of the graph.
  std::vector<FoundNode> find(const QString& words) const;
  size_t size() const { return nodes_.size(); }

 private:
  std::vector<FoundNode> nodes_;
  std::vector<std::string> words_;  // for each node, in lower case
};

}  // namespace footlight::app
