// Cost prediction, ranks and the fingerprint of a layout problem.
#include "app/layout/problem.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace footlight::app {

Hash128 LayoutProblem::fingerprint() const {
  Hasher128 hasher;
  const auto add = [&hasher](int64_t value) { hasher.add(static_cast<uint64_t>(value)); };
  add(static_cast<int64_t>(nodes.size()));
  for (const Node& n : nodes) {
    add(std::lround(n.width));
    add(std::lround(n.height));
    add(n.cluster);
    add(n.beside);
  }
  add(static_cast<int64_t>(edges.size()));
  for (const Edge& e : edges) {
    add(e.from);
    add(e.to);
  }
  for (const Cluster& c : clusters) add(c.parent);
  return hasher.result();
}

namespace {

// Nodes with the same number in `row` get the same rank. False if edges close a cycle, which are then ignored.
bool find_ranks(const LayoutProblem& problem, const std::vector<size_t>& row, std::vector<int>& rank) {
  const size_t count = problem.nodes.size();
  rank.assign(count, 0);
  std::vector<int> waiting(count, 0);
  std::vector<std::vector<int>> out(count);
  for (const auto& e : problem.edges) {
    const size_t from = row[static_cast<size_t>(e.from)], to = row[static_cast<size_t>(e.to)];
    if (from == to) continue;
    out[from].push_back(static_cast<int>(to));
    ++waiting[to];
  }
  std::vector<int> ready;
  for (size_t i = 0; i < count; ++i) {
    if (waiting[i] == 0) ready.push_back(static_cast<int>(i));
  }
  for (size_t at = 0; at < ready.size(); ++at) {
    const size_t from = static_cast<size_t>(ready[at]);
    for (int to : out[from]) {
      const size_t t = static_cast<size_t>(to);
      rank[t] = std::max(rank[t], rank[from] + 1);
      if (--waiting[t] == 0) ready.push_back(to);
    }
  }
  // Sources move down to just above their first reader, so a constant is next to its use.
  std::vector<bool> has_input(count, false);
  for (const auto& e : problem.edges) has_input[row[static_cast<size_t>(e.to)]] = true;
  for (size_t i = 0; i < count; ++i) {
    if (has_input[i] || out[i].empty()) continue;
    int least = INT32_MAX;
    for (int to : out[i]) least = std::min(least, rank[static_cast<size_t>(to)]);
    rank[i] = std::max(0, least - 1);
  }
  for (size_t i = 0; i < count; ++i) rank[i] = rank[row[i]];
  return ready.size() == count;
}

}  // namespace

std::vector<int> ranks_of(const LayoutProblem& problem) {
  std::vector<size_t> own(problem.nodes.size()), row;
  std::iota(own.begin(), own.end(), size_t{0});
  row = own;
  bool any = false;
  for (size_t i = 0; i < row.size(); ++i) {
    if (problem.nodes[i].beside < 0) continue;
    row[i] = static_cast<size_t>(problem.nodes[i].beside);
    any = true;
  }
  std::vector<int> rank;
  // Rows that contradict the edges are not worth a picture upside down.
  if (!find_ranks(problem, row, rank) && any) find_ranks(problem, own, rank);
  return rank;
}

size_t predicted_cost(const LayoutProblem& problem) {
  const std::vector<int> rank = ranks_of(problem);
  size_t cost = problem.nodes.size() + problem.edges.size();
  for (const auto& e : problem.edges) {
    const int span = std::abs(rank[static_cast<size_t>(e.to)] - rank[static_cast<size_t>(e.from)]);
    cost += static_cast<size_t>(std::max(0, span - 1));
  }
  return cost;
}

std::vector<QPointF> direct_curve(const QRectF& from, const QRectF& to) {
  const bool down = to.top() >= from.bottom() - 1;
  const QPointF a(from.center().x(), down ? from.bottom() : from.top());
  const QPointF b(to.center().x(), down ? to.top() : to.bottom());
  const double bend = std::max(18.0, std::abs(b.y() - a.y()) * 0.45) * (down ? 1 : -1);
  return {a, a + QPointF(0, bend), b - QPointF(0, bend), b};
}

}  // namespace footlight::app
