// Walks a graph in the order of its edges, without recursion, and hashes on the way.
#include "engine/explain/node_hashes.h"

#include <algorithm>

namespace footlight::explain {

using session::EdgeRecord;
using session::NodeRecord;

GraphIndex::GraphIndex(const session::GraphRecord& graph) : graph_(&graph) {
  const auto none = static_cast<uint32_t>(size());
  dense_.assign(size() * 4, none);
  for (uint32_t i = 0; i < none; ++i) {
    const uint32_t id = graph.nodes[i].id;
    if (id >= dense_.size()) sparse_.emplace(id, i);
    else if (dense_[id] == none) dense_[id] = i;
  }
  // A node on a cycle comes where it is first reached.
  std::vector<uint8_t> state(size(), 0);         // 1: on the way, 2: done
  std::vector<std::pair<size_t, size_t>> stack;  // node, number of its sources visited
  for (size_t start = 0; start < size(); ++start) {
    if (state[start]) continue;
    state[start] = 1;
    stack.push_back({start, 0});
    while (!stack.empty()) {
      auto& [at, next] = stack.back();
      const NodeRecord& node = graph.nodes[at];
      if (next == node.inputs.size() + node.control_inputs.size()) {
        state[at] = 2;
        order_.push_back(at);
        stack.pop_back();
        continue;
      }
      const size_t source = find(next < node.inputs.size() ? node.inputs[next].from
                                                           : node.control_inputs[next - node.inputs.size()]);
      ++next;
      if (source == size() || state[source]) continue;
      state[source] = 1;
      stack.push_back({source, 0});
    }
  }
}

size_t GraphIndex::find(uint32_t id) const {
  if (id < dense_.size()) return dense_[id];
  const auto at = sparse_.find(id);
  return at == sparse_.end() ? size() : at->second;
}

Hash128 relation_hash(uint64_t kind, uint64_t a, uint64_t b, Hash128 other) {
  Hasher128 hasher;
  hasher.add(kind);
  hasher.add(a);
  hasher.add(b);
  hasher.add(other);
  return hasher.result();
}

Hash128 combined(std::vector<Hash128>& parts) {
  std::sort(parts.begin(), parts.end());
  Hasher128 hasher;
  for (Hash128 part : parts) hasher.add(part);
  return hasher.result();
}

NodeHashes with_inputs(const GraphIndex& index, NodeHashes hashes) {
  for (size_t i : index.order()) {
    const NodeRecord& node = index.graph().nodes[i];
    Hasher128 hasher;
    hasher.add(hashes[i]);
    for (EdgeRecord e : node.inputs) hasher.add(relation_hash(2, e.output, 0, hashes[index.find(e.from)]));
    std::vector<Hash128> controls;
    for (uint32_t c : node.control_inputs) controls.push_back(hashes[index.find(c)]);
    hasher.add(controls.size());
    hasher.add(combined(controls));
    hashes[i] = hasher.result();
  }
  return hashes;
}

NodeHashes with_users(const GraphIndex& index, NodeHashes hashes) {
  const session::GraphRecord& graph = index.graph();
  std::vector<std::vector<Hash128>> marks(index.size() + 1);
  for (size_t k = 0; k < graph.outputs.size(); ++k)
    marks[index.find(graph.outputs[k].from)].push_back(relation_hash(3, k, graph.outputs[k].output, {}));
  for (size_t at = index.size(); at-- > 0;) {
    const size_t i = index.order()[at];
    const NodeRecord& node = graph.nodes[i];
    Hasher128 hasher;
    hasher.add(hashes[i]);
    hasher.add(combined(marks[i]));
    hashes[i] = hasher.result();
    for (size_t k = 0; k < node.inputs.size(); ++k)
      marks[index.find(node.inputs[k].from)].push_back(relation_hash(4, k, node.inputs[k].output, hashes[i]));
    for (uint32_t c : node.control_inputs) marks[index.find(c)].push_back(relation_hash(5, 0, 0, hashes[i]));
  }
  return hashes;
}

}  // namespace footlight::explain
