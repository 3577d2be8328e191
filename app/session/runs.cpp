// Names, lists, renames and deletes recordings.
#include "app/session/runs.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

namespace footlight::app {
namespace {

constexpr qsizetype kStampSize = 20;  // "yyyyMMdd-HHmmss-zzz-"

QString stem_of(const QString& path) { return QFileInfo(path).completeBaseName(); }

QDateTime time_of(const QString& path) {
  return QDateTime::fromString(stem_of(path).left(15), QStringLiteral("yyyyMMdd-HHmmss"));
}

bool is_run(const QString& path) {
  const QFileInfo info(path);
  return info.absolutePath() == QDir(runs_folder()).absolutePath() && info.isFile() && time_of(path).isValid();
}

}  // namespace

QString runs_folder() {
  const QString own = qEnvironmentVariable("FOOTLIGHT_RUNS");
  const QString folder =
      !own.isEmpty()
          ? own
          : QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation) + QStringLiteral("/runs");
  QDir().mkpath(folder);
  return folder;
}

QString new_session_path(const QString& script) {
  const QString stem = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss-zzz-")) +
                       QFileInfo(script).completeBaseName();
  return runs_folder() + QLatin1Char('/') + stem + QStringLiteral(".footlight");
}

std::vector<RunFile> recorded_runs(size_t most) {
  std::vector<RunFile> runs;
  const QFileInfoList files = QDir(runs_folder()).entryInfoList({QStringLiteral("*.footlight")}, QDir::Files,
                                                                QDir::Name | QDir::Reversed);
  for (const QFileInfo& info : files) {
    const QDateTime when = time_of(info.filePath());
    if (!when.isValid()) continue;
    runs.push_back({info.absoluteFilePath(), info.completeBaseName().mid(kStampSize) + QStringLiteral(".py"), when});
    if (runs.size() >= most) break;
  }
  return runs;
}

bool delete_run(const QString& path) { return is_run(path) && QFile::remove(path); }

QString rename_run(const QString& path, const QString& title) {
  QString name = title.trimmed();
  if (name.endsWith(QStringLiteral(".py"))) name.chop(3);
  if (!is_run(path) || name.isEmpty() || name.contains(QLatin1Char('/')) || name.startsWith(QLatin1Char('.'))) return {};
  const QString to = QFileInfo(path).absolutePath() + QLatin1Char('/') + stem_of(path).left(kStampSize) + name +
                     QStringLiteral(".footlight");
  return QFile::rename(path, to) ? to : QString();
}

}  // namespace footlight::app
