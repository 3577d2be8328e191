// The Compare tab before there is anything to show: what a comparison will do, asked before it is done, and its
// progress while it runs.
#pragma once

#include "app/models/compare_plan.h"
#include "app/views/labels.h"

#include <QElapsedTimer>
#include <QProgressBar>
#include <QSpinBox>
#include <QTimer>
#include <QWidget>

namespace footlight::app {

class CompareStart : public QWidget {
  Q_OBJECT

 public:
  explicit CompareStart(QWidget* parent = nullptr);

  enum class State { kIdle, kAsking, kRunning };
  // The function whose call would be compared.
  void set_function(const Document& document, FunctionId function);
  // Call number `call` is chosen, unless the user has chosen one.
  void suggest_call(qulonglong call);
  ComparePlan plan() const;
  void ask();                               // shows what will happen, with the button that does it
  void show_running(const ComparePlan& plan);
  void show_progress(const QString& text);
  void show_stopping();
  void show_failure(const QString& why);    // failure of the last run; empty: it did not fail
  void show_idle();
  State state() const { return state_; }

  QPushButton* main_button() {
    if (function_name_.isEmpty() && !elsewhere_.isEmpty()) return elsewhere_button_;
    return state_ == State::kRunning ? stop_ : state_ == State::kAsking ? go_ : start_;
  }
  QPushButton* cancel_button() { return cancel_; }
  QSpinBox* call_box() { return call_; }
  QSpinBox* pairs_box() { return pairs_; }
  QSpinBox* seconds_box() { return seconds_; }
  QString shown_text() const;               // everything that is said, for tests and assistive technology

 Q_SIGNALS:
  void confirmed(const footlight::app::ComparePlan& plan);
  void stop_asked();
  void left();                              // Cancel, or Esc
  void wants_view(const QString& name);

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void set_state(State state);
  void say();

  State state_ = State::kIdle;
  const Document* document_ = nullptr;
  FunctionId function_;
  QString function_name_;
  bool call_by_hand_ = false;
  QElapsedTimer since_;
  QTimer tick_;
  QString progress_text_;

  QLabel *title_, *text_, *effects_, *failure_, *progress_;
  QWidget* choices_;
  QSpinBox *call_, *pairs_, *seconds_;
  QPushButton *start_, *go_, *cancel_, *stop_;
  QString elsewhere_;                       // the view to look at where there is nothing to compare
  QPushButton* elsewhere_button_;
  QProgressBar* bar_;
};

}  // namespace footlight::app
