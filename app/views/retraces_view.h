// The Retraces tab: calls over time, the trace table, and the key of the selected trace compared with the nearest one.
#pragma once

#include "app/models/findings.h"
#include "app/models/traces_model.h"
#include "app/views/call_strip.h"
#include "app/views/key_diff_view.h"
#include "app/views/labels.h"
#include "app/views/rows.h"
#include "app/views/view.h"

#include <QLabel>
#include <QLineEdit>

namespace footlight::app {

class RetracesView : public View {
  Q_OBJECT

 public:
  RetracesView(const Context& context, QWidget* parent = nullptr);

  void reset() override;
  void refresh() override;
  void follow_selection() override;
  QWidget* main_widget() override { return table_; }

  // The findings of the run; the sentence on top follows from them.
  void set_findings(const FindingList& list);
  QString sentence() const { return sentence_->text(); }

  Table* table() { return table_; }
  QLineEdit* filter_edit() { return filter_; }
  CallStrip* strip() { return strip_; }
  KeyDiffView* diff() { return diff_; }
  LinkButton* compare_link() { return compare_; }
  LinkButton* times_link() { return times_; }

 Q_SIGNALS:
  void compare_asked(TraceId trace);
  void times_asked(TraceId left, TraceId right);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void show_function(FunctionId function);
  void show_sentence();
  void ask_calls();
  void ask_details();
  void show_key(TraceId trace);
  void size_table();

  FunctionId function_;
  TraceId trace_;
  bool following_ = false;
  Ticket runs_, chosen_, details_;
  bool ask_again_ = false, detailed_ = false;
  FindingList findings_;
  QLabel *heading_, *sentence_, *summary_, *range_, *key_heading_, *key_summary_, *empty_;
  QWidget* body_;
  CallStrip* strip_;
  TracesModel model_;
  SortedTraces sorted_{&model_};
  QLineEdit* filter_;
  Table* table_;
  KeyDiffView* diff_;
  LinkButton *compare_, *times_;
};

}  // namespace footlight::app
