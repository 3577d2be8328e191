// Below the timeline: what ran in the range, as a table with a histogram of the chosen row, a flame graph,
// bottom-up; and what devices did in it.
#pragma once

#include "app/models/callers_model.h"
#include "app/models/kernels_model.h"
#include "app/models/ops_model.h"
#include "app/views/histogram_view.h"
#include "app/views/rows.h"
#include "app/views/timeline_flame.h"

#include <QComboBox>
#include <QLineEdit>
#include <QStackedWidget>
#include <QTreeView>

class QLabel;
class QScrollArea;

namespace footlight::app {

class TimelineTable : public QWidget {
  Q_OBJECT

 public:
  enum Form { kTable, kFlame, kBottomUp, kKernels };
  explicit TimelineTable(QWidget* parent = nullptr);

  void set_title(const QString& title);
  void set_statistics(RangeStatistics statistics);
  void set_kernels(std::vector<query::DeviceSum> sums);
  // Recordings without a device have no table of kernels.
  void offer_kernels(bool any);
  void set_stacks(const Document* document, query::StackTree tree);
  void clear();

  query::GroupBy by() const { return query::GroupBy(group_->currentIndex()); }
  Form form() const { return Form(form_->currentIndex()); }
  OpsModel& ops() { return ops_; }
  CallersModel& callers() { return callers_; }
  Table* table() { return table_; }
  KernelsModel& kernels() { return kernels_; }
  Table* kernels_table() { return kernels_table_; }
  HistogramView* kernels_histogram() { return kernels_histogram_; }
  FlameView* flame() { return flame_; }
  FlameView* flame_below() { return below_; }
  // Whether a flame graph is seen, or callers: they take a pass over the range of their own.
  bool wants_stacks() const {
    return form() == kFlame || form() == kBottomUp || (form() == kTable && below_shown_);
  }
  // Few rows leave room for a flame graph below them. False: the run is too long for one that nobody asked for.
  void allow_flame_below(bool allowed);
  HistogramView* histogram() { return histogram_; }
  QComboBox* group_box() { return group_; }
  QComboBox* form_box() { return form_; }
  QLineEdit* filter() { return filter_; }
  QString summary() const;
  void show_search();  // the keyboard goes to the filter

 Q_SIGNALS:
  void asked_for();                        // another grouping or form
  void lit(std::vector<uint64_t> keys);    // rows whose events are to be shown
  void lit_work(std::vector<footlight::query::DeviceName> names);
  void step_wanted(int by);                // next or previous event of the lit rows
  void left();                             // the keyboard goes back to the timeline

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void light();
  void light_kernels();
  QWidget* make_kernels();
  void share_room();

  QLabel *title_, *summary_, *lost_;
  QComboBox *group_, *form_;
  QLineEdit* filter_;
  QStackedWidget* stack_;
  Table* table_;
  HistogramView* histogram_;
  Table* kernels_table_;
  HistogramView* kernels_histogram_;
  FlameView *flame_, *below_;
  QScrollArea* below_scroll_;
  bool below_allowed_ = true, below_shown_ = false;
  QTreeView* tree_;
  OpsModel ops_;
  CallersModel callers_;
  KernelsModel kernels_;
};

}  // namespace footlight::app
