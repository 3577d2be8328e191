// Starts, feeds, limits and kills `dot`.
#include "app/layout/dot_process.h"

#include <utility>

namespace footlight::app {

DotProcess::DotProcess(QObject* parent) : QObject(parent) {
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, [this] {
    fail(QStringLiteral("Graphviz took longer than %1 s").arg(limit_ms_ / 1000.0));
  });
}

DotProcess::~DotProcess() { drop(); }

bool DotProcess::running() const { return process_ && process_->state() != QProcess::NotRunning; }

void DotProcess::start(const LayoutProblem& problem) {
  drop();
  problem_ = problem;
  process_ = new QProcess(this);
  connect(process_, &QProcess::finished, this, &DotProcess::done);
  connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) fail(QStringLiteral("Graphviz (dot) is not installed"));
  });
  timer_.start(limit_ms_);
  process_->start(program_, {QStringLiteral("-Tjson0")});
  if (!process_) return;  // dot is not installed: failed() was emitted
  process_->write(dot_text(problem_));
  process_->closeWriteChannel();
}

void DotProcess::cancel() { drop(); }

// Disconnects the process first: nothing it still emits matters.
void DotProcess::drop() {
  timer_.stop();
  if (!process_) return;
  QProcess* process = std::exchange(process_, nullptr);
  process->disconnect(this);
  if (process->state() != QProcess::NotRunning) {
    connect(process, &QProcess::finished, process, &QObject::deleteLater);
    process->setParent(nullptr);
    process->kill();
    // QProcess must not be destroyed before its child was waited for; after SIGKILL that takes no time.
    process->waitForFinished(200);
    if (process->state() != QProcess::NotRunning) return;
  }
  process->deleteLater();
}

void DotProcess::fail(const QString& reason) {
  drop();
  Q_EMIT failed(reason);
}

void DotProcess::done() {
  timer_.stop();
  if (!process_) return;
  const bool good = process_->exitStatus() == QProcess::NormalExit && process_->exitCode() == 0;
  const QByteArray answer = process_->readAllStandardOutput();
  const QString complaint = QString::fromUtf8(process_->readAllStandardError()).section(QLatin1Char('\n'), 0, 0);
  process_->deleteLater();
  process_ = nullptr;
  LayoutResult result;
  if (good && read_dot_json(answer, problem_, result)) {
    Q_EMIT finished(result);
  } else {
    Q_EMIT failed(complaint.isEmpty() ? QStringLiteral("Graphviz gave up") : complaint);
  }
}

}  // namespace footlight::app
