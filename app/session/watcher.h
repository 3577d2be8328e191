// Reports when a script is saved. Editors replace the file instead of writing to it, so the path is watched again.
#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>

namespace footlight::app {

class SaveWatcher : public QObject {
  Q_OBJECT

 public:
  explicit SaveWatcher(QObject* parent = nullptr);
  void watch(const QStringList& files);  // empty: nothing

 Q_SIGNALS:
  void saved();

 private:
  void look();
  QString stamp() const;

  QFileSystemWatcher watcher_;
  QStringList files_;
  QString stamp_;
  QTimer settle_;
};

}  // namespace footlight::app
