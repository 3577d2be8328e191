// Sums up times over nodes, bodies and groups.
#include "app/models/graph_costs.h"

#include "app/models/text.h"

#include <map>
#include <set>

namespace footlight::app {
namespace {

void add_functions(const session::NodeRecord& node, std::vector<GraphId>& graphs) {
  for (const auto& [role, id] : node.functions) graphs.push_back(id);
}

int64_t total_of(const GraphCosts& costs, GraphId graph) {
  const auto at = costs.graphs.find(graph);
  return at == costs.graphs.end() ? 0 : at->second.total;
}

}  // namespace


uint64_t bytes_of(const std::string& output) {
  static const std::map<std::string, uint64_t, std::less<>> kSizes = {
      {"float32", 4}, {"int32", 4},  {"float64", 8}, {"int64", 8},  {"bool", 1},   {"uint8", 1},      {"int8", 1},
      {"float16", 2}, {"int16", 2},  {"uint16", 2},  {"uint32", 4}, {"uint64", 8}, {"bfloat16", 2},   {"complex64", 8},
      {"complex128", 16}};
  const size_t open = output.find(" (");
  if (open == std::string::npos) return 0;
  const auto size = kSizes.find(std::string_view(output).substr(0, open));
  if (size == kSizes.end()) return 0;
  uint64_t bytes = size->second, number = 0;
  bool digits = false;
  for (size_t i = open + 2; i < output.size(); ++i) {
    const char c = output[i];
    if (c >= '0' && c <= '9') {
      number = number * 10 + static_cast<uint64_t>(c - '0');
      digits = true;
    } else if (c == ',' || c == ')') {
      if (digits) bytes *= number;
      number = 0;
      digits = false;
    } else if (c != ' ') {
      return 0;
    }
  }
  return bytes;
}

GraphCosts find_costs(const query::Store& store, const GraphNodes& nodes, bool several_devices,
                      const query::Cancel& cancel) {
  GraphCosts costs;
  std::vector<query::NodeKey> ran;
  for (const auto& [graph, ids] : nodes) {
    cancel.check();
    query::Sums& all = costs.graphs[graph];
    for (const uint32_t id : ids) {
      const query::Sums own = store.of_node({graph, id});
      if (!own.count) continue;
      costs.nodes.emplace(GraphPlan::place_key(graph, id), own);
      costs.devices.emplace(GraphPlan::place_key(graph, id), 0);
      ran.push_back({graph, id});
      all.add(own);
    }
  }
  if (!several_devices || ran.empty()) return costs;
  size_t left = ran.size();
  std::set<uint64_t> seen;
  store.visit(store.of_nodes(std::move(ran)), INT64_MIN, INT64_MAX, cancel, [&](const query::OpEventRow& row) {
    const auto key = GraphPlan::place_key(row.graph, row.node.value);
    if (seen.insert(key).second) costs.devices[key] = row.device.value, --left;
    return left > 0;
  });
  return costs;
}

GraphNodes nodes_to_cost(const Document& part) {
  GraphNodes nodes;
  for (const session::GraphRecord& g : part.graphs) {
    std::vector<uint32_t> ids;
    for (const session::NodeRecord& n : g.nodes) ids.push_back(n.id);
    nodes.emplace_back(g.id, std::move(ids));
  }
  return nodes;
}

int64_t cumulative_ns(const Document& document, const GraphCosts& costs, GraphId graph, uint32_t node) {
  const session::NodeRecord* n = document.node(graph, node);
  if (!n) return 0;
  const auto own = costs.nodes.find(GraphPlan::place_key(graph, node));
  int64_t sum = own == costs.nodes.end() ? 0 : own->second.total;
  std::vector<GraphId> called;
  add_functions(*n, called);
  for (const GraphId id : document.graphs_below(std::move(called))) sum += total_of(costs, id);
  return sum;
}

void apply_costs(GraphPlan& plan, const Document& document, const GraphCosts& costs,
                 const std::vector<std::string>& device_names) {
  for (PlanBox& box : plan.boxes) box.cost_ns = -1, box.cost_shared = false, box.device.clear();
  std::map<GraphId, size_t> callers;
  for (const session::GraphRecord& g : document.graphs)
    for (const session::NodeRecord& n : g.nodes)
      for (const auto& [role, id] : n.functions) ++callers[id];
  std::vector<std::vector<GraphId>> called(plan.boxes.size());
  std::set<GraphId> seen;
  for (const PlanArea& area : plan.areas) {
    const session::GraphRecord* g = document.graph(area.graph);
    if (!g || !seen.insert(area.graph).second) continue;
    for (const session::NodeRecord& n : g->nodes) {
      const auto key = GraphPlan::place_key(area.graph, n.id);
      const int at = plan.places.value(key, -1);
      if (at < 0) continue;
      PlanBox& box = plan.boxes[static_cast<size_t>(at)];
      // A box that stands for other nodes as well, of other pieces or behind its chips, has its own time only.
      const bool stands = box.kind == PlanBox::Kind::kNode && box.node != n.id;
      if (stands || plan.in_other_piece.contains(key)) continue;
      add_functions(n, called[static_cast<size_t>(at)]);
      const auto ran = costs.nodes.find(key);
      if (ran == costs.nodes.end()) continue;
      box.cost_ns = std::max<int64_t>(0, box.cost_ns) + ran->second.total;
      const auto device = costs.devices.find(key);
      if (device == costs.devices.end()) continue;
      const QString name = device->second < device_names.size() ? q(device_names[device->second])
                                                                : QStringLiteral("device %1").arg(device->second);
      box.device = box.device.isEmpty() || box.device == name ? name : QStringLiteral("several");
    }
  }
  for (size_t b = 0; b < plan.boxes.size(); ++b) {
    for (const GraphId id : document.graphs_below(std::move(called[b]))) {
      const auto at = costs.graphs.find(id);
      if (at == costs.graphs.end() || !at->second.count) continue;
      plan.boxes[b].cost_ns = std::max<int64_t>(0, plan.boxes[b].cost_ns) + at->second.total;
      plan.boxes[b].cost_shared |= callers[id] > 1;
    }
  }
}

}  // namespace footlight::app
