// Lays out a plan, innermost areas first, each with Graphviz or, above the budget, with the app's own layout; that, and
// the making of a plan, on a thread of its own. The caller keeps its old picture until finished() is emitted.
#pragma once

#include "app/layout/dot_process.h"
#include "app/models/graph_plan.h"

#include <QElapsedTimer>
#include <QObject>
#include <QThreadPool>

#include <atomic>
#include <functional>
#include <memory>
#include <unordered_map>

namespace footlight::app {

class GraphLayout : public QObject {
  Q_OBJECT

 public:
  explicit GraphLayout(QObject* parent = nullptr);
  ~GraphLayout() override;

  // Both cancel a layout in progress. `make` runs on the layout's thread; what it is given throws once it is cancelled.
  void start(GraphPlan plan);
  void start_making(std::function<GraphPlan(const std::function<void()>& go_on)> make);
  void cancel();
  bool running() const { return running_; }

  DotProcess& dot() { return dot_; }
  size_t cache_hits() const { return cache_hits_; }

 Q_SIGNALS:
  // `how`: "Graphviz" or "simplified layout" with the reason, shown above the picture.
  void finished(const footlight::app::GraphPlan& plan, const QString& how, qint64 ms);

 private:
  using Stop = std::shared_ptr<std::atomic<bool>>;
  void begin(GraphPlan plan);
  LayoutProblem problem_of(int area);
  void lay_out_apart();
  void next();
  void take(const LayoutResult& result, bool keep);
  void finish();

  DotProcess dot_;
  QThreadPool threads_;
  Stop stop_;  // stops the work on the thread; replaced when it is cancelled
  GraphPlan plan_;
  bool running_ = false;
  bool dot_missing_ = false;
  int area_ = 0;
  size_t cache_hits_ = 0;
  Hash128 fingerprint_;
  LayoutProblem problem_;
  std::vector<LayoutResult> results_;          // indexed by area
  std::vector<std::vector<int>> edges_given_;  // for each area, the plan edge of each edge in the problem
  std::unordered_map<Hash128, LayoutResult> cache_;
  QString how_;
  QElapsedTimer clock_;
};

}  // namespace footlight::app
