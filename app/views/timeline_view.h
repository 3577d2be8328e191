// The Timeline tab: overview, tracks, and below them what ran in the marked range (or in view).
#pragma once

#include "app/views/timeline_canvas.h"
#include "app/views/timeline_table.h"
#include "app/views/lead_view.h"

#include <QLabel>
#include <QScrollArea>
#include <QTimer>

namespace footlight::app {

class TimelineView : public LeadView {
  Q_OBJECT

 public:
  TimelineView(const Context& context, QWidget* parent = nullptr);

  void reset() override;
  void refresh() override;
  void follow_selection() override;
  Lead* lead() { return lead_; }
  TimelineCanvas* canvas() { return canvas_; }
  TimelineTable* table() { return table_; }
  OpsModel& ops() { return table_->ops(); }
  // Marks that stretch of time, since 1970, and shows it.
  void show_time(qint64 from, qint64 to);
  // Updates the table at once, without waiting for the view to stop moving.
  void settle();

 protected:
  QWidget* main_of_body() override { return canvas_; }
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void rebuild();
  void show_statistics();
  void show_stacks(int64_t from, int64_t to);
  void show_kernels(int64_t from, int64_t to);
  void share_room();

  TimelineCanvas* canvas_;
  OverviewStrip* overview_;
  QScrollArea* scroll_;
  Lead* lead_;
  QLabel* hint_;
  TimelineTable* table_;
  QTimer later_;
  QueryHandle statistics_, stored_, stacks_, kernels_;
  bool dirty_ = true, another_ = true;
};

}  // namespace footlight::app
