// Finds the program beside this one, and says in its words what went wrong.
#include "app/session/export_job.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

#include <utility>

namespace footlight::app {
namespace {

QString command_line_program() {
  const QDir here(QCoreApplication::applicationDirPath());
  for (const char* there : {"footlight", "../bin/footlight"}) {
    const QString file = QDir::cleanPath(here.filePath(QLatin1String(there)));
    if (QFileInfo(file).isExecutable()) return file;
  }
  return QStandardPaths::findExecutable(QStringLiteral("footlight"));
}

QString ending_of(const QString& file) { return QFileInfo(file).suffix().toLower(); }

}  // namespace

QStringList timeline_export(const QString& session, const QString& file) {
  const QString ending = ending_of(file);
  const QString format = ending == QLatin1String("json") ? QStringLiteral("chrome")
                         : ending == QLatin1String("perfetto-trace") || ending == QLatin1String("pftrace")
                             ? QStringLiteral("perfetto")
                             : QString();
  if (format.isEmpty()) return {};
  return {QStringLiteral("export"), session, QStringLiteral("--format"), format, QStringLiteral("-o"), file};
}

QStringList report_export(const QString& session, const QString& file) {
  const QString ending = ending_of(file);
  const QString form = ending == QLatin1String("html") ? QStringLiteral("--html")
                       : ending == QLatin1String("md") ? QStringLiteral("--markdown")
                       : ending == QLatin1String("json") ? QStringLiteral("--json")
                                                         : QString();
  if (form.isEmpty()) return {};
  return {QStringLiteral("report"), session, form, QStringLiteral("-o"), file};
}

ExportJob::ExportJob(QObject* parent) : QObject(parent) {
  process_.setStandardOutputFile(QProcess::nullDevice());
  connect(&process_, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
    if (std::exchange(cancelled_, false)) return Q_EMIT cancelled();
    if (status == QProcess::NormalExit && code == 0) return Q_EMIT done({});
    const QString said = QString::fromUtf8(process_.readAllStandardError()).trimmed().section(QLatin1Char('\n'), -1);
    Q_EMIT done(said.isEmpty() ? QStringLiteral("The export ended without a reason (code %1).").arg(code) : said);
  });
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart)
      Q_EMIT done(QStringLiteral("The program footlight, which writes exports, could not be started."));
  });
}

ExportJob::~ExportJob() {
  process_.disconnect(this);
  if (!running()) return;
  process_.terminate();
  if (!process_.waitForFinished(1000)) {
    process_.kill();
    process_.waitForFinished(1000);
  }
}

void ExportJob::start(const QStringList& words) {
  cancelled_ = false;
  const QString program = command_line_program();
  process_.start(program.isEmpty() ? QStringLiteral("footlight") : program, words, QIODevice::ReadOnly);
}

void ExportJob::cancel() {
  if (!running()) return;
  cancelled_ = true;
  process_.terminate();  // it removes what it has written
}

}  // namespace footlight::app
