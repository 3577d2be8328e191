// A node over the recorded calls: its mean as a line between its minimum and its maximum, crosses for NaN, and a table.
#pragma once

#include "app/models/node_calls.h"
#include "app/views/rows.h"

#include <QLabel>
#include <QWidget>

namespace footlight::app {

class NodeCallsChart : public QWidget {
 public:
  explicit NodeCallsChart(QWidget* parent = nullptr);
  // `marked`: number of the call that is shown.
  void set(const std::vector<NodeCall>& calls, uint64_t marked, const QString& description);
  QSize sizeHint() const override { return {300, 96}; }

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  double x_of(size_t index) const;

  std::vector<NodeCall> calls_;
  uint64_t marked_ = 0;
};

class NodeCallsView : public QWidget {
  Q_OBJECT

 public:
  explicit NodeCallsView(QWidget* parent = nullptr);
  // Hidden where there are less than two calls.
  void set(const QString& node, std::vector<NodeCall> calls, uint64_t marked);
  Table* table() { return table_; }
  NodeCallsModel& model() { return model_; }
  QString title() const { return title_->text(); }

 Q_SIGNALS:
  void call_chosen(int index);  // index in the document

 private:
  NodeCallsModel model_;
  QLabel* title_;
  NodeCallsChart* chart_;
  Table* table_;
  bool following_ = false;
};

}  // namespace footlight::app
