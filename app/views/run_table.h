// Two runs of a script beside each other, a figure a row.
#pragma once

#include "app/session/run_compare.h"

#include <QFrame>
#include <QGridLayout>

namespace footlight::app {

class RunTable : public QFrame {
  Q_OBJECT

 public:
  explicit RunTable(QWidget* parent = nullptr);
  void set_text(const QString& text);  // instead of figures
  void set_runs(const QString& function, const RunPair& pair);
  // The rows as shown: name, before, after, change.
  const std::vector<QStringList>& rows() const { return rows_; }

 private:
  void clear();
  void add(const QStringList& cells, int better);  // -1: worse, 0: equal, 1: better
  void say_rows();  // gives the rows to a screen reader

  QGridLayout* grid_;
  std::vector<QStringList> rows_;
};

}  // namespace footlight::app
