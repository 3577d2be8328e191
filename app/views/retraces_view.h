// The Retraces tab: calls over time, the traces one by one or in groups, and the key of the selected trace compared
// with the nearest one.
#pragma once

#include "app/models/findings.h"
#include "app/models/trace_groups.h"
#include "app/models/traces_model.h"
#include "app/views/call_strip.h"
#include "app/views/key_diff_view.h"
#include "app/views/lead_view.h"
#include "app/views/rows.h"
#include "app/views/tabs.h"

#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>

namespace footlight::app {

class RetracesView : public LeadView {
  Q_OBJECT

 public:
  RetracesView(const Context& context, QWidget* parent = nullptr);

  void reset() override;
  void refresh() override;
  void follow_selection() override;

  // The findings of the run; the sentence on top follows from them.
  void set_findings(const FindingList& list);
  QString sentence() const { return sentence_->text(); }

  enum Grouping { kEachTrace, kByDifference, kByCallLine };
  void group_by(Grouping grouping) { groupings_->setCurrentIndex(grouping); }
  Tabs* groupings() { return groupings_; }
  Table* table() { return table_; }
  Table* group_table() { return group_table_; }
  QPushButton* only_button() { return only_; }
  QLineEdit* filter_edit() { return filter_; }
  CallStrip* strip() { return strip_; }
  KeyDiffView* diff() { return diff_; }
  LinkButton* compare_link() { return compare_; }
  LinkButton* times_link() { return times_; }

 Q_SIGNALS:
  void compare_asked(TraceId trace);
  void times_asked(TraceId left, TraceId right);

 protected:
  QWidget* main_of_body() override { return shown_table(); }
  void resizeEvent(QResizeEvent* event) override;

 private:
  void show_function(FunctionId function);
  void show_sentence();
  void ask_calls();
  void ask_details();
  void show_key(TraceId trace);
  void size_table();
  Table* make_table(SortedRows* rows, const char* name);
  Table* shown_table() { return grouping() == kEachTrace ? table_ : group_table_; }
  Grouping grouping() const { return static_cast<Grouping>(groupings_->currentIndex()); }
  void take_grouping();
  void fill_groups();
  void choose_group(const TraceGroup* group);
  void open_group(const TraceGroup* group);
  void choose_calls(query::CallChoice choice);
  void show_only(const QString& name, std::vector<TraceId> traces);
  const TraceGroup* current_group() const;
  void add_trace_actions(QMenu& menu, TraceId trace);

  FunctionId function_;
  TraceId trace_;
  bool following_ = false;
  QueryHandle runs_, chosen_, details_;
  bool ask_again_ = false, detailed_ = false;
  CallSites sites_;
  query::CallChoice choice_;  // the choice of the strip
  FindingList findings_;
  QLabel *heading_, *sentence_, *summary_, *range_, *key_heading_, *key_summary_;
  CallStrip* strip_;
  TracesModel model_;
  SortedTraces sorted_{&model_};
  TraceGroupsModel groups_;
  SortedRows sorted_groups_{&groups_};
  Tabs* groupings_;
  QPushButton* only_;
  QLineEdit* filter_;
  Table *table_, *group_table_;
  KeyDiffView* diff_;
  LinkButton *compare_, *times_;
};

}  // namespace footlight::app
