// Runs statements over the open recording in a thread of its own, with a reader of its own: neither the window nor the
// store waits for one. A cancelled statement is left alone until it ends.
#pragma once

#include "app/models/sql_model.h"

#include "engine/query/cancel.h"

#include <QObject>
#include <QThread>

#include <memory>
#include <vector>

namespace footlight::app {

class SqlWorker : public QObject {
  Q_OBJECT

 public:
  explicit SqlWorker(QObject* parent = nullptr);
  ~SqlWorker() override;

  void set_recording(const QString& path);  // read at the first statement
  // Cancels the statement that is running. At most `rows` rows are kept.
  void run(const QString& statement, size_t rows);
  void cancel();
  bool running() const { return job_ != nullptr; }

 Q_SIGNALS:
  void done(std::shared_ptr<const footlight::app::SqlResult> result);

 private:
  struct Opened;  // the recording with its reader
  struct Job {
    query::Cancel cancel;
  };
  static SqlResult answer(Opened& opened, const QString& statement, size_t rows, const query::Cancel& cancel);
  void take(const std::shared_ptr<Job>& job, std::shared_ptr<Opened> opened, std::shared_ptr<const SqlResult> result);

  QString path_;
  std::shared_ptr<Job> job_;
  std::shared_ptr<Opened> opened_;   // null while a statement uses it
  std::vector<QThread*> threads_;    // running or ending threads
};

}  // namespace footlight::app
