// The open session of a window: the document, and the loader that fills it.
#pragma once

#include "app/models/document.h"
#include "app/session/line_totals.h"
#include "app/session/loader.h"
#include "app/session/queries.h"

#include <QObject>
#include <QElapsedTimer>
#include <QThread>
#include <QTimer>

#include <vector>

namespace footlight::app {

class Session : public QObject {
  Q_OBJECT

 public:
  explicit Session(QObject* parent = nullptr);
  ~Session() override;

  const Document& document() const { return document_; }
  Queries& queries() { return queries_; }
  LineTotals& lines() { return lines_; }
  bool is_open() const { return open_; }
  bool loading() const { return loading_; }
  const QString& path() const { return path_; }

  // `live`: the file may not exist yet. The first batch of the new document replaces the old one.
  void open(const QString& path, bool live = false);
  void close();
  // The file with that path; relative paths start at the run's folder. One that the session does not have is read from
  // disk as it is now, and shown like the others. None if there is no such text file.
  session::FileId file_anywhere(const QString& path);
  size_t threads() const { return ending_.size() + (thread_ ? 1 : 0); }  // threads that read files, or are ending
  // Sets only the records, for tests: queries find nothing.
  void show(Document document);

 Q_SIGNALS:
  void opened();                   // a new document
  void grown();                    // the same document has more
  void progress(double share);     // of loading; 1: done
  void failed(const QString& path, const QString& message);

 private:
  void stop_loader();
  void forget(QThread* thread);
  void say_grown();

  Document document_;
  Queries queries_;
  LineTotals lines_{document_, queries_, this};
  QString path_;
  bool open_ = false, loading_ = false;
  QThread* thread_ = nullptr;
  Loader* loader_ = nullptr;
  uint64_t opening_ = 0;           // number of the loader whose batches count
  std::vector<QThread*> ending_;   // threads of earlier loaders, in the middle of a chunk: nobody waits for them
  QTimer growth_;            // limits how often new records are shown
  qint64 showing_ms_ = 0;    // duration of showing the last batch
};

}  // namespace footlight::app
