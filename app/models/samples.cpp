// Reads the comment on top of each sample, and copies samples.
#include "app/models/samples.h"

#include <QDir>
#include <QFile>
#include <QSaveFile>
#include <QStandardPaths>

namespace footlight::app {
namespace {

QByteArray read(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QString path_of(const SampleScript& sample) { return samples_folder() + QLatin1Char('/') + sample.name; }

// The first sentence of the comment, split at its colon.
void take_title(SampleScript& sample) {
  const QString quotes = QStringLiteral("\"\"\"");
  const qsizetype begin = sample.text.indexOf(quotes) + quotes.size();
  QString comment = sample.text.mid(begin, sample.text.indexOf(quotes, begin) - begin).simplified();
  const qsizetype stop = comment.indexOf(QStringLiteral(". "));
  comment = comment.left(stop < 0 ? comment.size() : stop);
  const qsizetype colon = comment.indexOf(QLatin1Char(':'));
  sample.title = colon < 0 ? comment : comment.left(colon);
  if (colon >= 0) sample.about = comment.mid(colon + 1).trimmed();
}

}  // namespace

std::vector<SampleScript> sample_scripts(const QString& folder) {
  std::vector<SampleScript> all;
  const QDir dir(folder);
  for (const QString& name : dir.entryList({QStringLiteral("*.py")}, QDir::Files, QDir::Name)) {
    SampleScript sample;
    sample.name = name;
    sample.text = QString::fromUtf8(read(dir.filePath(name)));
    take_title(sample);
    all.push_back(std::move(sample));
  }
  return all;
}

QString samples_folder() {
  const QString own = qEnvironmentVariable("FOOTLIGHT_EXAMPLES");
  if (!own.isEmpty()) return own;
  return QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation) + QStringLiteral("/examples");
}

QString copy_of(const SampleScript& sample, bool again) {
  const QString path = path_of(sample);
  if (!again && QFile::exists(path)) return path;
  if (!QDir().mkpath(samples_folder())) return {};
  // What the user wrote is kept beside it.
  if (is_changed(sample)) {
    QFile::remove(path + QStringLiteral(".mine"));
    if (!QFile::copy(path, path + QStringLiteral(".mine"))) return {};
  }
  QSaveFile file(path);
  const QByteArray text = sample.text.toUtf8();
  return file.open(QIODevice::WriteOnly) && file.write(text) == text.size() && file.commit() ? path : QString();
}

bool is_changed(const SampleScript& sample) {
  return QFile::exists(path_of(sample)) && read(path_of(sample)) != sample.text.toUtf8();
}

}  // namespace footlight::app
