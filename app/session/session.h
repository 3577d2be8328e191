// The open session of a window: the document, and the loader that fills it.
#pragma once

#include "app/models/document.h"
#include "app/session/loader.h"
#include "app/session/queries.h"

#include <QObject>
#include <QElapsedTimer>
#include <QThread>
#include <QTimer>

namespace footlight::app {

class Session : public QObject {
  Q_OBJECT

 public:
  explicit Session(QObject* parent = nullptr);
  ~Session() override;

  const Document& document() const { return document_; }
  Queries& queries() { return queries_; }
  bool is_open() const { return open_; }
  bool loading() const { return loading_; }
  const QString& path() const { return path_; }

  // `live`: the file may not be there yet. The old document is gone with the first batch of the new one.
  void open(const QString& path, bool live = false);
  void close();
  // The file of that path, from the run's folder when it is relative. One that the session does not have is read from
  // the disk, as it is now, and shown like the others. None: there is no such text file.
  session::FileId file_anywhere(const QString& path);
  // Records alone, for tests: questions find nothing.
  void show(Document document);

 Q_SIGNALS:
  void opened();                   // another document: everything is new
  void grown();                    // the same document has more
  void progress(double share);     // of reading; 1: done
  void failed(const QString& path, const QString& message);

 private:
  void stop_loader();
  void say_grown();

  Document document_;
  Queries queries_;
  QString path_;
  bool open_ = false, loading_ = false;
  QThread* thread_ = nullptr;
  Loader* loader_ = nullptr;
  QTimer growth_;            // what has come is shown once in a while, not with every batch
  qint64 showing_ms_ = 0;    // how long that took the last time
};

}  // namespace footlight::app
