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
  // Answers for this file from now on, instead of the one before; removes what a crashed process left behind. False if
  // another window shows it already, which goes on answering.
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
