// The navigator on the left: runs, functions, traces.
#pragma once

#include "app/models/navigator_model.h"
#include "app/views/view.h"

#include <QTreeView>

namespace footlight::app {

class NavigatorPanel : public View {
  Q_OBJECT

 public:
  NavigatorPanel(const Context& context, QWidget* parent = nullptr);

  void reset() override;
  void refresh() override;
  void follow_selection() override;
  QWidget* main_widget() override { return tree_; }
  QTreeView* tree() { return tree_; }
  NavigatorModel& model() { return model_; }
  void set_runs(std::vector<RunEntry> earlier);

 Q_SIGNALS:
  void run_chosen(const QString& path);

 private:
  void open_rows();
  void choose(const QModelIndex& index);

  NavigatorModel model_;
  QTreeView* tree_;
  bool following_ = false;
};

}  // namespace footlight::app
