// The Timeline tab: overview, tracks, and the table of what ran in the marked range (or in view).
#pragma once

#include "app/models/timeline.h"
#include "app/views/rows.h"
#include "app/views/timeline_canvas.h"
#include "app/views/view.h"

#include <QAbstractTableModel>
#include <QLabel>
#include <QScrollArea>
#include <QTimer>

namespace footlight::app {

class OpsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  using QAbstractTableModel::QAbstractTableModel;
  void set_rows(std::vector<OpStatistics> rows);
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<OpStatistics> rows_;
};

class TimelineView : public View {
  Q_OBJECT

 public:
  TimelineView(const Context& context, QWidget* parent = nullptr);

  void reset() override;
  void refresh() override;
  void follow_selection() override;
  QWidget* main_widget() override { return canvas_; }
  TimelineCanvas* canvas() { return canvas_; }
  OpsModel& ops() { return ops_; }
  // Updates the table at once, without waiting for the view to stop moving.
  void settle();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void rebuild();
  void show_statistics();

  TimelineCanvas* canvas_;
  OverviewStrip* overview_;
  QScrollArea* scroll_;
  QLabel *empty_, *title_, *summary_, *hint_;
  QWidget* body_;
  Table* table_;
  OpsModel ops_;
  QTimer later_;
  Ticket statistics_;
  bool dirty_ = true, another_ = true;
};

}  // namespace footlight::app
