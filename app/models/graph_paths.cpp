// Breadth first over the edges of a plan.
#include "app/models/graph_paths.h"

namespace footlight::app {

QSet<int> neighbourhood(const GraphPlan& plan, const QSet<int>& from, int steps) {
  QSet<int> reached = from;
  std::vector<std::vector<int>> near(plan.boxes.size());
  for (const PlanEdge& e : plan.edges) {
    near[static_cast<size_t>(e.from)].push_back(e.to);
    near[static_cast<size_t>(e.to)].push_back(e.from);
  }
  std::vector<int> front(from.begin(), from.end());
  for (int step = 0; step < steps; ++step) {
    std::vector<int> next;
    for (const int box : front) {
      for (const int other : near[static_cast<size_t>(box)]) {
        if (reached.contains(other)) continue;
        reached.insert(other);
        next.push_back(other);
      }
    }
    front = std::move(next);
  }
  const QSet<int> inner = reached;
  for (int box : inner) {
    while ((box = plan.areas[static_cast<size_t>(plan.boxes[static_cast<size_t>(box)].area)].owner) >= 0)
      reached.insert(box);
  }
  return reached;
}

}  // namespace footlight::app
