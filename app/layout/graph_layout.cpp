// Lays out each area of a plan and combines them into one picture.
#include "app/layout/graph_layout.h"

#include <QMetaObject>

#include <algorithm>

namespace footlight::app {
namespace {

constexpr double kBodyHeader = 26, kBodyMargin = 14, kBodyGap = 14, kBoxHeader = 34;
constexpr size_t kCacheSize = 400;
// Graphviz is not used for areas with more nodes, edges and dummy nodes than this.
constexpr size_t kBudget = 4000;
// Smaller ones take the app's own layout a few milliseconds.
constexpr size_t kAtOnce = 2000;

void shift(LayoutResult& r, QPointF by) {
  for (QRectF& n : r.nodes) n.translate(by);
  for (QRectF& c : r.clusters) c.translate(by);
  for (auto& curve : r.edges) {
    for (QPointF& p : curve) p += by;
  }
  r.bounds.translate(by);
}

}  // namespace

GraphLayout::GraphLayout(QObject* parent) : QObject(parent), dot_(this) {
  threads_.setMaxThreadCount(1);
  connect(&dot_, &DotProcess::finished, this, [this](const LayoutResult& result) {
    take(result, true);
    next();
  });
  connect(&dot_, &DotProcess::failed, this, [this](const QString& reason) {
    dot_missing_ = true;  // and stays so for the rest of this plan
    how_ = QStringLiteral("simplified layout: ") + reason;
    take(layered_layout(problem_), false);
    next();
  });
}

GraphLayout::~GraphLayout() {
  cancel();
  threads_.waitForDone();  // the thread calls back
}

void GraphLayout::cancel() {
  dot_.cancel();
  if (stop_) *stop_ = true;
  stop_.reset();
  running_ = false;
}

void GraphLayout::start(GraphPlan plan) {
  cancel();
  clock_.start();
  begin(std::move(plan));
}

void GraphLayout::start_making(std::function<GraphPlan(const std::function<void()>& go_on)> make) {
  cancel();
  clock_.start();
  running_ = true;
  stop_ = std::make_shared<std::atomic<bool>>(false);
  threads_.start([this, stop = stop_, make = std::move(make)] {
    struct Stopped {};
    const auto go_on = [&stop] {
      if (*stop) throw Stopped();
    };
    std::shared_ptr<GraphPlan> plan;
    try {
      go_on();
      plan = std::make_shared<GraphPlan>(make(go_on));
    } catch (const Stopped&) {
      return;
    }
    QMetaObject::invokeMethod(this, [this, stop, plan] {
      if (stop == stop_) begin(std::move(*plan));
    }, Qt::QueuedConnection);
  });
}

void GraphLayout::begin(GraphPlan plan) {
  plan_ = std::move(plan);
  running_ = true;
  dot_missing_ = false;
  how_ = QStringLiteral("Graphviz");
  area_ = static_cast<int>(plan_.areas.size());
  results_.assign(plan_.areas.size(), {});
  edges_given_.assign(plan_.areas.size(), {});
  next();
}

// The size of a box with open bodies is known once its bodies are laid out; they come later in the list of areas.
LayoutProblem GraphLayout::problem_of(int area_index) {
  const PlanArea& area = plan_.areas[static_cast<size_t>(area_index)];
  LayoutProblem problem;
  std::vector<int> local(plan_.boxes.size(), -1);
  std::vector<int> local_cluster(plan_.clusters.size(), -1);
  for (int c : area.clusters) {
    const int parent = plan_.clusters[static_cast<size_t>(c)].parent;
    local_cluster[static_cast<size_t>(c)] = static_cast<int>(problem.clusters.size());
    problem.clusters.push_back({parent < 0 ? -1 : local_cluster[static_cast<size_t>(parent)]});
  }
  for (int b : area.boxes) {
    PlanBox& box = plan_.boxes[static_cast<size_t>(b)];
    if (!box.bodies.empty()) {
      double width = kBodyMargin, height = 0;
      for (int body : box.bodies) {
        const QRectF inner = results_[static_cast<size_t>(body)].bounds;
        width += std::max(inner.width(), 120.0) + 2 * kBodyMargin + kBodyGap;
        height = std::max(height, inner.height());
      }
      box.rect.setWidth(std::max(box.rect.width(), width - kBodyGap + kBodyMargin));
      box.rect.setHeight(kBoxHeader + kBodyHeader + height + 2 * kBodyMargin);
    }
    local[static_cast<size_t>(b)] = static_cast<int>(problem.nodes.size());
    problem.nodes.push_back({box.rect.width(), box.rect.height(),
                             box.cluster < 0 ? -1 : local_cluster[static_cast<size_t>(box.cluster)]});
  }
  for (int b : area.boxes) {
    const int beside = plan_.boxes[static_cast<size_t>(b)].beside;
    if (beside >= 0)
      problem.nodes[static_cast<size_t>(local[static_cast<size_t>(b)])].beside = local[static_cast<size_t>(beside)];
  }
  auto& given = edges_given_[static_cast<size_t>(area_index)];
  for (int e : area.edges) {
    const PlanEdge& edge = plan_.edges[static_cast<size_t>(e)];
    if (edge.cut) continue;
    const auto [above, below] = edge.back ? std::pair(edge.to, edge.from) : std::pair(edge.from, edge.to);
    problem.edges.push_back({local[static_cast<size_t>(above)], local[static_cast<size_t>(below)]});
    given.push_back(e);
  }
  return problem;
}

void GraphLayout::next() {
  while (running_) {
    if (area_ == 0) {
      finish();
      return;
    }
    --area_;
    problem_ = problem_of(area_);
    fingerprint_ = problem_.fingerprint();
    const auto known = cache_.find(fingerprint_);
    if (known != cache_.end()) {
      ++cache_hits_;
      take(known->second, false);
      continue;
    }
    if (problem_.nodes.empty()) {
      take({}, false);
      continue;
    }
    const size_t cost = predicted_cost(problem_);
    if (dot_missing_ || cost > kBudget) {
      if (!dot_missing_) how_ = QStringLiteral("simplified layout");
      if (problem_.nodes.size() + problem_.edges.size() > kAtOnce) {
        lay_out_apart();
        return;
      }
      take(layered_layout(problem_), false);
      continue;
    }
    dot_.start(problem_);
    return;
  }
}

void GraphLayout::lay_out_apart() {
  stop_ = std::make_shared<std::atomic<bool>>(false);
  threads_.start([this, stop = stop_, problem = problem_] {
    const auto result = std::make_shared<LayoutResult>(layered_layout(problem, stop.get()));
    QMetaObject::invokeMethod(this, [this, stop, result] {
      if (stop != stop_) return;
      take(*result, true);
      next();
    }, Qt::QueuedConnection);
  });
}

void GraphLayout::take(const LayoutResult& result, bool keep) {
  results_[static_cast<size_t>(area_)] = result;
  if (keep) {
    if (cache_.size() >= kCacheSize) cache_.clear();
    cache_.insert_or_assign(fingerprint_, result);
  }
}

void GraphLayout::finish() {
  for (size_t a = 0; a < plan_.areas.size(); ++a) {
    PlanArea& area = plan_.areas[a];
    LayoutResult& result = results_[a];
    QPointF origin(0, 0);
    if (area.owner >= 0) {
      const PlanBox& owner = plan_.boxes[static_cast<size_t>(area.owner)];
      // Bodies are placed side by side and share the remaining space.
      double needed = kBodyMargin;
      for (int body : owner.bodies)
        needed +=
            std::max(results_[static_cast<size_t>(body)].bounds.width(), 120.0) + 2 * kBodyMargin + kBodyGap;
      const double spare = std::max(0.0, owner.rect.width() - (needed - kBodyGap + kBodyMargin)) /
                           static_cast<double>(owner.bodies.size());
      double x = owner.rect.left() + kBodyMargin;
      for (int body : owner.bodies) {
        const double width =
            std::max(results_[static_cast<size_t>(body)].bounds.width(), 120.0) + 2 * kBodyMargin + spare;
        if (body == static_cast<int>(a)) {
          area.rect = QRectF(x, owner.rect.top() + kBoxHeader, width, owner.rect.height() - kBoxHeader - kBodyMargin);
          break;
        }
        x += width + kBodyGap;
      }
      origin = QPointF(area.rect.left() + (area.rect.width() - result.bounds.width()) / 2,
                       area.rect.top() + kBodyHeader);
    } else {
      area.rect = result.bounds.translated(-result.bounds.topLeft());
    }
    shift(result, origin - result.bounds.topLeft());
    for (size_t i = 0; i < area.boxes.size() && i < result.nodes.size(); ++i) {
      plan_.boxes[static_cast<size_t>(area.boxes[i])].rect = result.nodes[i];
    }
    for (size_t i = 0; i < area.clusters.size() && i < result.clusters.size(); ++i) {
      plan_.clusters[static_cast<size_t>(area.clusters[i])].rect = result.clusters[i];
    }
    for (size_t i = 0; i < edges_given_[a].size() && i < result.edges.size(); ++i) {
      PlanEdge& edge = plan_.edges[static_cast<size_t>(edges_given_[a][i])];
      edge.curve = result.edges[i];
      if (edge.back) std::ranges::reverse(edge.curve);
    }
    for (int e : area.edges) {
      PlanEdge& edge = plan_.edges[static_cast<size_t>(e)];
      if (edge.cut) {
        edge.curve = direct_curve(plan_.boxes[static_cast<size_t>(edge.from)].rect,
                                  plan_.boxes[static_cast<size_t>(edge.to)].rect);
      }
    }
  }
  plan_.bounds = plan_.areas.empty() ? QRectF() : plan_.areas.front().rect;
  running_ = false;
  Q_EMIT finished(plan_, how_, clock_.elapsed());
}

}  // namespace footlight::app
