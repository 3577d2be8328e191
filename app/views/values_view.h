// The Values tab: what the tensors of a recorded call hold, node by node; or how to record a call's values.
#pragma once

#include "app/models/values.h"
#include "app/views/checked_strip.h"
#include "app/views/labels.h"
#include "app/views/node_calls_view.h"
#include "app/views/rows.h"
#include "app/views/view.h"

#include <QComboBox>
#include <QProgressBar>
#include <QSpinBox>
#include <QStackedWidget>

namespace footlight::app {

class ValuesView : public View {
  Q_OBJECT

 public:
  ValuesView(const Context& context, QWidget* parent = nullptr);

  void reset() override;
  void refresh() override;
  void follow_selection() override;
  QWidget* main_widget() override;

  // Shows how a call is recorded, even if there are values.
  void ask();
  void run_started(const ValuesPlan& plan);
  void run_ended(const QString& reason);
  // Selects the node that made the first NaN of the shown call, or its first infinity. False if the call has neither.
  bool show_first_nan();
  bool show_first_infinity();

  Table* table() { return table_; }
  QComboBox* calls() { return calls_; }
  CheckedStrip* strip() { return strip_; }
  QSpinBox* call_box() { return call_; }
  QSpinBox* last_box() { return last_; }
  NodeCallsView* over_calls() { return over_; }
  QPushButton* record_button() { return record_; }
  QPushButton* check_button() { return check_; }
  QPushButton* only_bad() { return only_bad_; }
  QString story() const { return story_->text(); }
  QString start_text() const { return title_->text() + QLatin1Char('\n') + text_->text(); }
  bool is_asking() const { return pages_->currentIndex() == 1; }

 Q_SIGNALS:
  void graph_asked();                 // coloured by NaN and infinity
  void run_asked(const footlight::app::ValuesPlan& plan);

 private:
  QWidget* build_values();
  QWidget* build_start();
  void fill_calls();
  void show_call(int index);
  void show_start();
  bool select_value(const session::TensorValue* value);
  void mark_selected();
  void show_over_calls(const session::TensorValue* value);
  ValuesPlan plan_now() const;

  ValuesModel model_;
  size_t known_ = 0;            // calls in the list
  int shown_ = -1;
  bool asked_ = false;          // the start page is shown though there are values
  bool running_ = false;
  bool following_ = false;
  ValuesPlan plan_;             // plan for the running script
  std::string wanted_node_;     // name of the node to select once its values have arrived

  QStackedWidget* pages_;
  QComboBox* calls_;
  QPushButton *first_nan_, *first_infinity_, *only_bad_;
  QLabel* story_;
  Table* table_;
  NodeCallsView* over_;
  CheckedStrip* strip_;
  QLabel *title_, *text_, *note_;
  QWidget* choices_;
  QSpinBox *call_, *last_;
  QPushButton *record_, *check_, *back_;
  QProgressBar* bar_;
};

}  // namespace footlight::app
