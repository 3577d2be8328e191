// The page of one finding: evidence, fixes as edits that can be applied, and the run before beside the one after.
#pragma once

#include "app/models/dismissed.h"
#include "app/models/finding_content.h"
#include "app/session/run_compare.h"
#include "app/views/edit_view.h"
#include "app/views/run_table.h"
#include "app/views/tabs.h"
#include "app/views/view.h"

#include <QPushButton>
#include <QGridLayout>
#include <QScrollArea>
#include <QVBoxLayout>

namespace footlight::app {

class FindingPage : public QScrollArea {
  Q_OBJECT

 public:
  FindingPage(const Context& context, Dismissed* dismissed, QWidget* parent = nullptr);

  void show_finding(const FindingContent& content);
  const FindingContent& content() const { return content_; }
  // The traces that it speaks of are no longer those of the window.
  void detach();
  bool detached() const { return detached_; }
  void set_running(bool running);
  void set_can_run(bool can_run);   // false: the recording's script cannot be run
  // Shows values before and now; without an earlier run it shows no table.
  void compare_runs(const QString& before, const QString& after);
  void show_theme();

  Tabs* fix_tabs() { return tabs_; }
  EditView* edit() { return edit_; }
  RunTable* table() { return table_; }
  QPushButton* apply_and_run_button() { return apply_run_; }
  QPushButton* apply_button() { return apply_; }
  QPushButton* undo_button() { return undo_; }
  QPushButton* copy_button() { return copy_; }
  QPushButton* markdown_button() { return markdown_; }
  QPushButton* dismiss_button() { return dismiss_; }
  QLabel* note() { return note_; }

 Q_SIGNALS:
  void closed();
  void run_asked();
  void difference_asked(TraceId left, TraceId right);
  void calls_asked(const footlight::app::Selection& of);
  void node_asked(const footlight::app::Selection& node, const QString& view);
  void ranks_asked(const QString& collective);  // "all_reduce #17"
  void place_chosen(const QString& path, int line);
  void dismissed_changed();
  void script_changed(const QString& path);  // the page itself has changed the script

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* make_head();
  QWidget* make_evidence();
  void make_buttons(QVBoxLayout* column);
  void build();
  void arrange();
  void show_fix();
  bool apply();
  void undo();
  void say(const QString& text, bool error);
  const FixContent* fix() const;

  Context context_;
  Dismissed* dismissed_;
  FindingContent content_;
  bool detached_ = false, running_ = false, applied_ = false, can_run_ = true;
  FixContent applied_fix_;
  QString before_, after_, note_text_;
  bool note_is_error_ = false;
  std::vector<QWidget*> of_this_run_;  // links to what only the finding's own run has
  RunCompare compare_;
  RunPair pair_;
  bool compared_ = false;

  QFrame* body_ = nullptr;
  QGridLayout* head_ = nullptr;
  QLabel* check_ = nullptr;
  QWidget* links_ = nullptr;
  QBoxLayout* buttons_ = nullptr;
  Tabs* tabs_ = nullptr;
  EditView* edit_ = nullptr;
  QLabel *note_ = nullptr, *fix_check_ = nullptr;
  QPushButton *apply_run_ = nullptr, *apply_ = nullptr, *undo_ = nullptr, *copy_ = nullptr, *markdown_ = nullptr,
              *dismiss_ = nullptr;
  QLabel* table_title_ = nullptr;
  RunTable* table_ = nullptr;
};

}  // namespace footlight::app
