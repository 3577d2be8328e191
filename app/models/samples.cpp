// Reads the comment on top of each sample, and copies samples.
#include "app/models/samples.h"

#include "engine/session/other_engines.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <QStandardPaths>

namespace footlight::app {
namespace {

const QString kFolder = QStringLiteral(":/footlight/examples");

QByteArray read(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QString path_of(const Sample& sample) { return samples_folder() + QLatin1Char('/') + sample.name; }

// The title and the rest are the first sentence of the script's comment, split at its colon.
void take_title(Sample& sample) {
  const QString text = QString::fromUtf8(sample.bytes);
  const QString quotes = QStringLiteral("\"\"\"");
  const qsizetype begin = text.indexOf(quotes) + quotes.size();
  QString comment = text.mid(begin, text.indexOf(quotes, begin) - begin).simplified();
  const qsizetype stop = comment.indexOf(QStringLiteral(". "));
  comment = comment.left(stop < 0 ? comment.size() : stop);
  const qsizetype colon = comment.indexOf(QLatin1Char(':'));
  sample.title = colon < 0 ? comment : comment.left(colon);
  if (colon >= 0) sample.about = comment.mid(colon + 1).trimmed();
}

// "JAX (pip install jax): a list grows, and with it the inputs" has its title behind the colon.
void take_engine_title(Sample& sample) {
  if (!sample.about.isEmpty()) sample.about.replace(0, 1, sample.about.at(0).toUpper());
  sample.title = sample.about.section(QStringLiteral(", "), 0, 0).section(QStringLiteral(": "), 0, 0);
  if (sample.title.endsWith(QLatin1Char('.'))) sample.title.chop(1);
}

}  // namespace

std::vector<Sample> engine_samples() {
  std::vector<Sample> all;
  for (const session::OtherEngine& engine : session::kOtherEngines) {
    const QString package = QLatin1String(engine.package);
    const QDir dir(kFolder + QStringLiteral("/engines/") + package);
    for (const QString& name : dir.entryList({QStringLiteral("*.py")}, QDir::Files, QDir::Name)) {
      Sample sample{.name = package + QLatin1Char('/') + name,
                    .title = {},
                    .about = {},
                    .bytes = read(dir.filePath(name)),
                    .engine = package};
      take_title(sample);
      take_engine_title(sample);
      all.push_back(std::move(sample));
    }
  }
  return all;
}

QString engine_of_sample(const QString& script) {
  const QString folder = QDir::cleanPath(samples_folder()) + QLatin1Char('/');
  const QString path = QDir::cleanPath(script);
  if (!path.startsWith(folder)) return {};
  const QString name = path.mid(folder.size());
  for (const session::OtherEngine& engine : session::kOtherEngines)
    if (name.startsWith(QLatin1String(engine.package) + QLatin1Char('/'))) return QLatin1String(engine.package);
  return {};
}

std::vector<Sample> sample_scripts() {
  std::vector<Sample> all;
  const QDir dir(kFolder);
  for (const QString& name : dir.entryList({QStringLiteral("*.py")}, QDir::Files, QDir::Name)) {
    Sample sample{.name = name, .title = {}, .about = {}, .bytes = read(dir.filePath(name))};
    take_title(sample);
    all.push_back(std::move(sample));
  }
  return all;
}

std::vector<Sample> all_samples() {
  std::vector<Sample> all = sample_scripts();
  const QString name = QStringLiteral("gpu.footlight");
  all.push_back({.name = name,
                 .title = QStringLiteral("A real GPU"),
                 .about = QStringLiteral("The kernels, copies and CUDA calls of a short run on an NVIDIA H200, as "
                                         "CUPTI recorded them. Look at the Timeline."),
                 .bytes = read(QDir(kFolder).filePath(name))});
  return all;
}

QString samples_folder() {
  const QString own = qEnvironmentVariable("FOOTLIGHT_EXAMPLES");
  if (!own.isEmpty()) return own;
  return QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation) + QStringLiteral("/examples");
}

QString copy_of(const Sample& sample, bool again) {
  const QString path = path_of(sample);
  if (!again && QFile::exists(path)) return path;
  if (!QDir().mkpath(QFileInfo(path).path())) return {};
  // The user's version is kept beside it.
  if (is_changed(sample)) {
    QFile::remove(path + QStringLiteral(".mine"));
    if (!QFile::copy(path, path + QStringLiteral(".mine"))) return {};
  }
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return {};
  const bool written = file.write(sample.bytes) == sample.bytes.size();
  return written && file.commit() ? path : QString();
}

bool is_changed(const Sample& sample) {
  return QFile::exists(path_of(sample)) && read(path_of(sample)) != sample.bytes;
}

}  // namespace footlight::app
