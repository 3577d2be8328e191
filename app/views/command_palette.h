// The search box of the window (Ctrl+K): commands, functions, traces, nodes, source and console lines.
#pragma once

#include "app/models/search.h"

#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPointer>
#include <QStandardItemModel>

#include <functional>

namespace footlight::app {

class CommandPalette : public QFrame {
  Q_OBJECT

 public:
  explicit CommandPalette(QWidget* window);

  // `find` returns the hits of a query; `run` runs the chosen one.
  void open(std::function<std::vector<SearchHit>(const QString&)> find, std::function<void(const SearchHit&)> run,
            const QString& query = {});
  QLineEdit* input() { return input_; }
  QListView* list() { return list_; }
  QLabel* nothing() { return nothing_; }

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  void fill();
  void accept();
  void place();
  void leave();  // hides, and the keys are again where they were

  QPointer<QWidget> before_;  // had the keys
  QLineEdit* input_;
  QListView* list_;
  QLabel* nothing_;  // shown in place of the list
  QStandardItemModel model_;
  std::vector<SearchHit> hits_;
  std::function<std::vector<SearchHit>(const QString&)> find_;
  std::function<void(const SearchHit&)> run_;
};

}  // namespace footlight::app
