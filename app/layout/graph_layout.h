// Lays out a plan, innermost areas first, each with Graphviz or, above the budget, with the app's own layout.
// The caller keeps its old picture until finished() is emitted.
#pragma once

#include "app/layout/dot_process.h"
#include "app/models/graph_plan.h"

#include <QElapsedTimer>
#include <QObject>

#include <unordered_map>

namespace footlight::app {

class GraphLayout : public QObject {
  Q_OBJECT

 public:
  explicit GraphLayout(QObject* parent = nullptr);

  // Cancels a layout in progress.
  void start(GraphPlan plan);
  void cancel();
  bool running() const { return running_; }

  DotProcess& dot() { return dot_; }
  size_t cache_hits() const { return cache_hits_; }

 Q_SIGNALS:
  // `how`: "Graphviz" or "own layout: ...", shown above the picture.
  void finished(const footlight::app::GraphPlan& plan, const QString& how, qint64 ms);

 private:
  LayoutProblem problem_of(int area);
  void next();
  void take(const LayoutResult& result, bool keep);
  void finish();

  DotProcess dot_;
  GraphPlan plan_;
  bool running_ = false;
  bool dot_missing_ = false;
  int area_ = 0;
  size_t cache_hits_ = 0;
  Hash128 fingerprint_;
  LayoutProblem problem_;
  std::vector<LayoutResult> results_;          // by area
  std::vector<std::vector<int>> edges_given_;  // by area: the plan edge of each edge in the problem
  std::unordered_map<Hash128, LayoutResult> cache_;
  QString how_;
  QElapsedTimer clock_;
};

}  // namespace footlight::app
