// The SQL tab: a statement over the recording, its result as a table whose rows select in the other views, ready
// queries, and the tables that there are.
#pragma once

#include "app/models/sql_model.h"
#include "app/session/sql_worker.h"
#include "app/views/rows.h"
#include "app/views/sql_editor.h"
#include "app/views/view.h"

#include <QElapsedTimer>
#include <QListWidget>
#include <QPushButton>
#include <QTimer>
#include <QTreeWidget>

class QLabel;

namespace footlight::app {

class SqlView : public View {
  Q_OBJECT

 public:
  static constexpr size_t kMaxRows = 10'000;
  SqlView(const Context& context, QWidget* parent = nullptr);

  void reset() override;
  void refresh() override {}
  void follow_selection() override {}
  QWidget* main_widget() override { return editor_; }
  bool busy() const override { return worker_.running(); }

  void run(const QString& statement);
  void run();   // runs the statement in the editor
  void stop();
  SqlEditor* editor() { return editor_; }
  Table* table() { return table_; }
  SqlModel& model() { return model_; }
  QListWidget* queries() { return queries_; }
  QTreeWidget* tables() { return tables_; }
  QString status() const;

 Q_SIGNALS:
  void time_chosen(qint64 from, qint64 to);       // since 1970
  void export_asked(const QString& statement);
  void finished();

 protected:
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* make_side();
  void fill_tables();
  void take(std::shared_ptr<const SqlResult> result);
  void select_row(int row);
  void say(const QString& text, bool is_error = false);

  SqlWorker worker_;
  SqlModel model_;
  SqlEditor* editor_;
  Table* table_;
  QListWidget* queries_;
  QTreeWidget* tables_;
  QLabel *status_, *empty_;
  QPushButton *run_, *stop_, *export_;
  QTimer clock_;
  QElapsedTimer since_;
  QString ran_, shown_;     // the last statement, and the one whose result is shown
  QueryHandle ticket_;
  bool is_fresh_ = true;    // nothing was run for this recording yet
  bool is_opening_ = false; // a row is to be shown in its view
};

}  // namespace footlight::app
