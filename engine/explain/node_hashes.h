// Hashes of nodes by where they stand in their graph: over what they are made from, or over those that use them.
#pragma once

#include "engine/base/hash128.h"
#include "engine/session/records.h"

#include <unordered_map>
#include <vector>

namespace footlight::explain {

// Where a graph's nodes are, by id. Graphs come from files: ids may be missing or given twice, edges may form cycles.
class GraphIndex {
 public:
  explicit GraphIndex(const session::GraphRecord& graph);
  const session::GraphRecord& graph() const { return *graph_; }
  size_t size() const { return graph_->nodes.size(); }
  size_t find(uint32_t id) const;                            // size() if there is none
  const std::vector<size_t>& order() const { return order_; }  // each node after those that it takes values from

 private:
  const session::GraphRecord* graph_;
  std::vector<uint32_t> dense_;                    // by id, while ids are about as many as nodes
  std::unordered_map<uint32_t, uint32_t> sparse_;  // the others
  std::vector<size_t> order_;
};

// By position, with one more at the end for missing nodes.
using NodeHashes = std::vector<Hash128>;

// Each node's hash with those of the nodes that it takes values from, and theirs, up to the beginning.
NodeHashes with_inputs(const GraphIndex& index, NodeHashes hashes);
// Each node's hash with those of the nodes and outputs of the graph that use it, and theirs, down to the end.
NodeHashes with_users(const GraphIndex& index, NodeHashes hashes);

// A hash of a relation between nodes: what it is, its position, the output used, the other node.
Hash128 relation_hash(uint64_t kind, uint64_t a, uint64_t b, Hash128 other);
// In any order.
Hash128 combined(std::vector<Hash128>& parts);

}  // namespace footlight::explain
