// Options of a plan and queries about it: first options, the way to a node, look-ups of boxes.
#include "app/models/graph_plan.h"

#include "app/models/text.h"

#include <algorithm>
#include <map>

namespace footlight::app {
namespace {

constexpr size_t kSmallGraph = 120;

}  // namespace

int GraphPlan::box_of(GraphId graph, uint32_t node) const {
  for (size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].kind == PlanBox::Kind::kNode && boxes[i].graph == graph && boxes[i].node == node)
      return static_cast<int>(i);
  }
  return -1;
}

int GraphPlan::place_of(GraphId graph, uint32_t node) const { return places.value(place_key(graph, node), -1); }

int GraphPlan::box_with_key(const QString& key) const {
  for (size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].key == key) return static_cast<int>(i);
  }
  return -1;
}

GraphOptions default_options(const Document& document, GraphId graph) {
  GraphOptions options;
  const session::GraphRecord* g = document.graph(graph);
  if (!g) return options;
  if (g->nodes.size() > kSmallGraph) {
    for (const session::NodeRecord& n : g->nodes) {
      const size_t slash = n.name.find('/');
      if (slash != std::string::npos) options.folded.insert(q(n.name.substr(0, slash + 1)));
    }
    return options;
  }
  size_t budget = kSmallGraph - g->nodes.size();
  for (const session::NodeRecord& n : g->nodes) {
    size_t inside = 0;
    for (const auto& [role, inner] : n.functions) {
      if (const session::GraphRecord* body = document.graph(inner)) inside += body->nodes.size();
    }
    if (n.functions.empty() || inside > budget) continue;
    budget -= inside;
    options.opened.insert(q(n.name));
  }
  return options;
}

GraphOptions first_options(const Document& document, GraphId graph) {
  GraphOptions options = default_options(document, graph);
  const session::GraphRecord* g = document.graph(graph);
  options.fold_repeats = options.chips = true;
  options.fold_scopes = g && g->nodes.size() > kSmallGraph;
  options.folded.clear();
  return options;
}

QString graph_title(const Document& document, GraphId graph) {
  for (const session::TraceRecord& t : document.traces) {
    if (t.graph() != graph) continue;
    if (const session::FunctionRecord* f = document.function(t.function)) return q(f->name);
  }
  const session::GraphRecord* g = document.graph(graph);
  return g ? q(g->name) : QString();
}

std::vector<std::pair<GraphId, uint32_t>> way_to(const Document& document, GraphId root, GraphId graph, uint32_t node) {
  std::map<GraphId, std::pair<GraphId, uint32_t>> callers{{root, {}}};  // for each graph found, the node that runs it
  std::vector<GraphId> found{root};
  for (size_t i = 0; i < found.size() && !callers.contains(graph); ++i) {
    const session::GraphRecord* g = document.graph(found[i]);
    for (size_t n = 0; g && n < g->nodes.size(); ++n) {
      for (const auto& [role, inner] : g->nodes[n].functions) {
        if (callers.try_emplace(inner, found[i], g->nodes[n].id).second) found.push_back(inner);
      }
    }
  }
  if (!callers.contains(graph)) return {};
  std::vector<std::pair<GraphId, uint32_t>> way{{graph, node}};
  while (way.back().first != root) way.push_back(callers.at(way.back().first));
  std::ranges::reverse(way);
  return way;
}

}  // namespace footlight::app
