// The inspector on the right: everything known about the selection, as labels and links that can have the focus.
#pragma once

#include "app/models/facts.h"
#include "app/models/inspector.h"
#include "app/views/view.h"

#include <QGridLayout>
#include <QScrollArea>
#include <QSet>
#include <QVBoxLayout>

namespace footlight::app {

class InspectorPanel : public View {
  Q_OBJECT

 public:
  InspectorPanel(const Context& context, QWidget* parent = nullptr);

  void reset() override;
  void refresh() override;
  void follow_selection() override;
  QWidget* main_widget() override { return scroll_; }
  const InspectorContent& content() const { return content_; }
  // Hides the source if it is already in view (next to the graph, or in the Source tab).
  void set_snippet_shown(bool shown);

 private:
  void build();
  void ask();
  void ask_median();
  void add_values();
  void add_group(const InspectorGroup& group, bool first);
  void add_row(QGridLayout* grid, const InspectorRow& row, int at);

  QScrollArea* scroll_;
  QWidget* inside_ = nullptr;
  QVBoxLayout* column_ = nullptr;
  InspectorContent content_;
  SelectionFacts facts_;
  Selection asked_;
  QueryHandle facts_ticket_, median_;
  QString shown_;
  bool snippet_ = true;
  QSet<QString> opened_;  // labels of rows whose inner rows are shown
};

}  // namespace footlight::app
