// Costs of a graph's nodes at run time, with all that they call: from the store's sums by node.
#pragma once

#include "app/models/graph_plan.h"

#include "engine/query/store.h"

#include <unordered_map>

namespace footlight::app {

struct GraphCosts {
  std::unordered_map<uint64_t, query::Sums> nodes;     // own runs, by GraphPlan::place_key
  std::unordered_map<uint64_t, uint32_t> devices;      // the device on which a node ran first, by the same key
  std::unordered_map<GraphId, query::Sums> graphs;     // sums over all nodes of a graph
  bool empty() const { return graphs.empty(); }
};

// The nodes to ask for, by graph.
using GraphNodes = std::vector<std::pair<GraphId, std::vector<uint32_t>>>;
GraphNodes nodes_to_cost(const Document& part);
// Called on the store's thread. With one device, everything ran there.
GraphCosts find_costs(const query::Store& store, const GraphNodes& nodes, bool several_devices,
                      const query::Cancel& cancel);

// The own time of a node and that of all graphs which it runs, directly or not. A graph that several nodes run counts
// in full for each of them: what ran does not say from where it was called.
int64_t cumulative_ns(const Document& document, const GraphCosts& costs, GraphId graph, uint32_t node);

// Writes times and devices to the boxes. A folded group has the sum of its nodes; what they share counts once.
void apply_costs(GraphPlan& plan, const Document& document, const GraphCosts& costs,
                 const std::vector<std::string>& device_names);

// float32 (32, 16) -> 2048; 0 where a size is not known.
uint64_t bytes_of(const std::string& output);

}  // namespace footlight::app
