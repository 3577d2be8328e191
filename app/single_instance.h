// One window per file: a second start with the same file raises the window that has it and ends.
#pragma once

#include <QLocalServer>
#include <QObject>

namespace footlight::app {

class SingleInstance : public QObject {
  Q_OBJECT

 public:
  explicit SingleInstance(const QString& file, QObject* parent = nullptr);

  // True if another process of this user has the file, and was asked to show itself.
  bool raise_other();
  // Answers later starts; what a process that crashed left behind is removed.
  bool listen();
  QString socket_path() const;

 Q_SIGNALS:
  void raise_asked();

 private:
  QString name_;
  QLocalServer server_;
};

}  // namespace footlight::app
