// One window per file: a second start with the same file raises the window that shows it and ends.
#pragma once

#include <QLocalServer>
#include <QObject>

#include <memory>

namespace footlight::app {

class SingleInstance : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  // True if another process of this user shows the file, and was asked to come to the front.
  static bool raise_other(const QString& file);
  // From now on answers for this file instead of the one before; what a process that crashed left behind is removed.
  // False if another window shows it already, which goes on answering.
  bool show(const QString& file);
  QString file() const { return file_; }
  static QString socket_path(const QString& file);

 Q_SIGNALS:
  void raise_asked(const QString& file);

 private:
  void answer(const QString& file);
  QString file_;
  std::unique_ptr<QLocalServer> server_;
};

}  // namespace footlight::app
