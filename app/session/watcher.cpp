// Watches files and their folders, and compares sizes and times once changes have settled.
#include "app/session/watcher.h"

#include <QFileInfo>

namespace footlight::app {

SaveWatcher::SaveWatcher(QObject* parent) : QObject(parent) {
  settle_.setSingleShot(true);
  settle_.setInterval(150);
  connect(&settle_, &QTimer::timeout, this, &SaveWatcher::look);
  connect(&watcher_, &QFileSystemWatcher::fileChanged, &settle_, qOverload<>(&QTimer::start));
  connect(&watcher_, &QFileSystemWatcher::directoryChanged, &settle_, qOverload<>(&QTimer::start));
}

void SaveWatcher::watch(const QStringList& files) {
  if (!watcher_.files().isEmpty()) watcher_.removePaths(watcher_.files());
  if (!watcher_.directories().isEmpty()) watcher_.removePaths(watcher_.directories());
  files_ = files;
  stamp_ = stamp();
  for (const QString& f : files_) {
    watcher_.addPath(f);
    watcher_.addPath(QFileInfo(f).absolutePath());
  }
}

QString SaveWatcher::stamp() const {
  QString all;
  for (const QString& f : files_) {
    const QFileInfo info(f);
    all += f + QLatin1Char(' ') + QString::number(info.size()) + QLatin1Char(' ') +
           QString::number(info.lastModified().toMSecsSinceEpoch()) + QLatin1Char('\n');
  }
  return all;
}

void SaveWatcher::look() {
  for (const QString& f : files_) {
    if (!QFileInfo::exists(f)) {
      settle_.start();  // between the old file and the new one
      return;
    }
    if (!watcher_.files().contains(f)) watcher_.addPath(f);
  }
  const QString now = stamp();
  if (now == stamp_) return;
  stamp_ = now;
  Q_EMIT saved();
}

}  // namespace footlight::app
