// The app's own layered layout, for graphs that would take Graphviz too long.
#include "app/layout/problem.h"

#include <algorithm>

namespace footlight::app {
namespace {

constexpr double kBetween = 24, kLayer = 46;
constexpr int kSweeps = 4;
constexpr size_t kWidest = 40;  // boxes in a row before it wraps

}  // namespace

LayoutResult layered_layout(const LayoutProblem& problem, const std::atomic<bool>* stop) {
  LayoutResult made;
  const size_t count = problem.nodes.size();
  made.nodes.resize(count);
  const std::vector<int> rank = ranks_of(problem);
  const int last = count ? *std::max_element(rank.begin(), rank.end()) : 0;
  std::vector<std::vector<int>> rows(static_cast<size_t>(last) + 1);
  for (size_t i = 0; i < count; ++i) rows[static_cast<size_t>(rank[i])].push_back(static_cast<int>(i));

  std::vector<std::vector<int>> in(count), out(count);
  for (const auto& e : problem.edges) {
    in[static_cast<size_t>(e.to)].push_back(e.from);
    out[static_cast<size_t>(e.from)].push_back(e.to);
  }
  std::vector<double> x(count, 0), wish(count, 0);
  const auto pack = [&](const std::vector<int>& row) {
    double width = 0;
    for (int n : row) width += problem.nodes[static_cast<size_t>(n)].width + kBetween;
    double at = -width / 2;
    for (int n : row) {
      const double own = problem.nodes[static_cast<size_t>(n)].width;
      x[static_cast<size_t>(n)] = at + own / 2;
      at += own + kBetween;
    }
  };
  for (const auto& row : rows) pack(row);
  const auto sweep = [&](std::vector<int>& row, const std::vector<std::vector<int>>& near) {
    for (int n : row) {
      double sum = 0;
      for (int m : near[static_cast<size_t>(n)]) sum += x[static_cast<size_t>(m)];
      const size_t many = near[static_cast<size_t>(n)].size();
      wish[static_cast<size_t>(n)] = many ? sum / static_cast<double>(many) : x[static_cast<size_t>(n)];
    }
    const auto before = [&](int a, int b) { return wish[static_cast<size_t>(a)] < wish[static_cast<size_t>(b)]; };
    std::stable_sort(row.begin(), row.end(), before);
    pack(row);
    // Shift the whole row by the average of its boxes' preferred positions.
    double shift = 0;
    for (int n : row) shift += wish[static_cast<size_t>(n)] - x[static_cast<size_t>(n)];
    shift /= static_cast<double>(std::max<size_t>(1, row.size()));
    for (int n : row) x[static_cast<size_t>(n)] += shift;
  };
  for (int s = 0; s < kSweeps && !(stop && *stop); ++s) {
    for (size_t r = 1; r < rows.size(); ++r) sweep(rows[r], in);
    for (size_t r = rows.size() - 1; r-- > 0;) sweep(rows[r], out);
  }

  double y = 0;
  for (auto& row : rows) {
    double tallest = 0;
    // Wrap rows of hundreds of boxes: they would not fit on a screen.
    for (size_t from = 0; from < row.size(); from += kWidest) {
      const std::vector<int> part(row.begin() + static_cast<ptrdiff_t>(from),
                                  row.begin() + static_cast<ptrdiff_t>(std::min(row.size(), from + kWidest)));
      if (row.size() > kWidest) pack(part);
      tallest = 0;
      for (int n : part) tallest = std::max(tallest, problem.nodes[static_cast<size_t>(n)].height);
      for (int n : part) {
        const auto& node = problem.nodes[static_cast<size_t>(n)];
        made.nodes[static_cast<size_t>(n)] = QRectF(x[static_cast<size_t>(n)] - node.width / 2,
                                                    y + (tallest - node.height) / 2, node.width, node.height);
      }
      y += tallest + (from + kWidest < row.size() ? kBetween : kLayer);
    }
  }
  for (const auto& e : problem.edges) {
    made.edges.push_back(direct_curve(made.nodes[static_cast<size_t>(e.from)], made.nodes[static_cast<size_t>(e.to)]));
  }
  made.clusters.resize(problem.clusters.size());
  for (size_t i = 0; i < count; ++i) {
    for (int c = problem.nodes[i].cluster; c >= 0; c = problem.clusters[static_cast<size_t>(c)].parent) {
      QRectF& rect = made.clusters[static_cast<size_t>(c)];
      const QRectF own = made.nodes[i].adjusted(-12, -30, 12, 12);
      rect = rect.isNull() ? own : rect.united(own);
    }
  }
  for (const QRectF& r : made.nodes) made.bounds = made.bounds.united(r);
  for (const QRectF& r : made.clusters) made.bounds = made.bounds.united(r);
  return made;
}

}  // namespace footlight::app
