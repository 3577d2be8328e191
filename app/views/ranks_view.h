// The Ranks tab: which process of a distributed run came late to a collective, and what it did meanwhile that the
// others did not.
#pragma once

#include "app/models/ranks.h"
#include "app/views/histogram_view.h"
#include "app/views/labels.h"
#include "app/views/lateness_strip.h"
#include "app/views/lead_view.h"
#include "app/views/ranks_canvas.h"
#include "app/views/rows.h"

class QScrollArea;

namespace footlight::app {

class RanksView : public LeadView {
  Q_OBJECT

 public:
  RanksView(const Context& context, QWidget* parent = nullptr);

  void reset() override;
  void refresh() override;
  void follow_selection() override;
  bool busy() const override { return ticket_.waiting(); }

  void choose_named(const QString& collective);  // "all_reduce #17"; once the ranks are known
  void choose(std::optional<size_t> collective);
  bool step(int by);                   // to the next or previous collective at which a rank was late
  bool show_reason();                  // what made the rank late: its trace, else the line of the collective
  QString verdict() const { return verdict_->text(); }
  QString facts() const { return facts_->text(); }
  RanksPtr data() const { return data_; }
  RanksCanvas* canvas() { return canvas_; }
  LatenessStrip* lateness() { return lateness_; }
  Table* late_table() { return late_; }
  Table* arrivals_table() { return arrivals_; }
  HistogramView* skew() { return skew_; }
  LinkButton* reason_link() { return reason_; }
  LinkButton* line_link() { return line_; }
  QPushButton* align_switch() { return align_; }
  QPushButton* host_switch() { return host_; }

 protected:
  void showEvent(QShowEvent* event) override;
  QWidget* main_of_body() override { return canvas_; }

 private:
  QWidget* build_head();
  QWidget* build_below();
  void load();
  void take(RanksPtr data);
  void select_call(CallId call);
  bool show_line(size_t collective);

  RanksPtr data_;
  QueryHandle ticket_, call_ticket_;
  bool dirty_ = true, another_ = true;
  std::optional<size_t> chosen_;
  QString wanted_;  // the name of a collective that is to be chosen
  LateModel late_model_;
  ArrivalsModel arrivals_model_;
  QLabel *verdict_, *chosen_name_, *facts_;
  QScrollArea* scroll_;
  QPushButton *align_, *host_, *previous_, *next_;
  LatenessStrip* lateness_;
  RanksCanvas* canvas_;
  HistogramView* skew_;
  Table *late_, *arrivals_;
  LinkButton *reason_, *line_;
};

}  // namespace footlight::app
