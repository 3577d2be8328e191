// Compares and replaces a file.
#include "app/session/script_edit.h"

#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

namespace footlight::app {

QString replace_text(const QString& path, const QString& expected, const QString& text) {
  const QString name = QFileInfo(path).fileName();
  QFile now(path);
  if (!now.open(QIODevice::ReadOnly)) return QStringLiteral("%1 cannot be read: %2").arg(path, now.errorString());
  if (now.readAll() != expected.toUtf8())
    return QStringLiteral("%1 is not what was recorded, so nothing was changed. Run it again first.").arg(name);
  now.close();
  QSaveFile file(path);
  const QByteArray bytes = text.toUtf8();
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
    return QStringLiteral("%1 cannot be written: %2").arg(path, file.errorString());
  return {};
}

}  // namespace footlight::app
