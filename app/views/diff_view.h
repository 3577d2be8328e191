// The Diff tab: two graphs by structure, the verdict in a sentence, and a list of what differs.
#pragma once

#include "app/models/diff_list.h"
#include "app/session/diff_worker.h"
#include "app/views/diff_pane.h"
#include "app/views/labels.h"
#include "app/views/rows.h"
#include "app/views/view.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QElapsedTimer>
#include <QSplitter>
#include <QTimer>

class QVBoxLayout;

namespace footlight::app {

class DiffView : public View {
  Q_OBJECT

 public:
  DiffView(const Context& context, QWidget* parent = nullptr);

  void reset() override;
  void refresh() override;
  void follow_selection() override;
  QWidget* main_widget() override { return list_; }
  bool busy() const override;

  // A trace with its nearest earlier one.
  void compare(TraceId trace);
  void compare(GraphId left, GraphId right);
  // Whether there is advice about the run that a verdict may point to.
  void set_findings(int count);
  // The next or previous difference.
  void step(int by);

  enum Mode { kSideBySide, kMerged, kOnlyChanges };
  void set_mode(Mode mode);
  Table* list() { return list_; }
  QComboBox* left_choice() { return left_choice_; }
  QComboBox* right_choice() { return right_choice_; }
  DiffPane* pane(DiffPart part);
  QString verdict() const { return verdict_text_->text(); }
  const std::shared_ptr<const GraphsDiff>& diff() const { return diff_; }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void build_head(QVBoxLayout* column);
  void fill_choices();
  void start();
  void took(std::shared_ptr<const GraphsDiff> diff);
  void say_nothing(const QString& message);
  void show_panes();
  void choose(DiffPlace place, DiffPart part);
  bool show_selected();
  void show_chosen(std::optional<DiffPlace> place, bool reveal);

  DiffWorker worker_;
  std::vector<GraphChoice> choices_;
  size_t graphs_known_ = 0;
  GraphId left_, right_;
  bool by_hand_ = false;    // the user chose the graphs: only another trace changes them
  bool wanted_ = false;     // to be compared when the tab is shown
  bool following_ = false;
  int findings_ = 0;
  Mode mode_ = kSideBySide;
  std::shared_ptr<const GraphsDiff> diff_;
  DiffList model_;
  QTimer slow_;             // progress is shown after half a second
  QElapsedTimer since_;

  QLabel* counts_;
  QComboBox *left_choice_, *right_choice_;
  QButtonGroup* modes_;
  QFrame *verdict_, *progress_;
  QLabel *verdict_text_, *progress_text_;
  LinkButton* finding_;
  DiffPane *left_pane_, *right_pane_, *one_pane_;
  Table* list_;
};

}  // namespace footlight::app
