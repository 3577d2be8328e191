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
  void compare_asked(const QString& path);   // with the open recording
  void rename_asked(const QString& path, const QString& title);
  void delete_asked(const QString& path, const QString& title);

 private:
  void open_rows();
  void choose(const QModelIndex& index);
  void show_menu(const QModelIndex& index, const QPoint& at);

  NavigatorModel model_;
  QTreeView* tree_;
  bool following_ = false;
};

}  // namespace footlight::app
