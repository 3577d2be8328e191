// Starts and controls the worker, and kills it as a last resort.
#include "app/session/worker.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QProcessEnvironment>
#include <QRegularExpression>
#include <QStandardPaths>

#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace footlight::app {
namespace {

constexpr int kPatienceMs = 6000;          // the worker itself needs up to 4 s to escalate
constexpr qsizetype kPrintedBytes = 64 * 1024;

QString signal_words(int number) {
  switch (number) {
    case SIGSEGV: return QStringLiteral("segmentation fault");
    case SIGABRT: return QStringLiteral("aborted");
    case SIGKILL: return QStringLiteral("killed");
    case SIGINT: return QStringLiteral("interrupted");
    case SIGTERM: return QStringLiteral("terminated");
    default: return QString::fromLatin1(strsignal(number));
  }
}

}  // namespace

QString choose_python(const QString& setting, const QString& recorded) {
  if (!setting.isEmpty()) return setting;
  // A recording from a stranger must not name another kind of program.
  static const QRegularExpression interpreter(QStringLiteral("^python[0-9.]*$"));
  const QFileInfo info(recorded);
  if (info.isAbsolute() && info.isExecutable() && interpreter.match(info.fileName()).hasMatch()) return recorded;
  if (const QString wanted = qEnvironmentVariable("FOOTLIGHT_PYTHON"); !wanted.isEmpty()) return wanted;
  const QString environment = qEnvironmentVariable("VIRTUAL_ENV");
  if (!environment.isEmpty()) {
    const QString there = environment + QStringLiteral("/bin/python3");
    if (QFileInfo(there).isExecutable()) return there;
  }
  return QStandardPaths::findExecutable(QStringLiteral("python3"));
}

QString package_folder() {
  const QString own = qEnvironmentVariable("FOOTLIGHT_PACKAGE");
  if (!own.isEmpty()) return own;
  const QDir bin(QCoreApplication::applicationDirPath());
  for (const char* there : {"../python", "../lib/footlight/python"}) {
    const QString folder = QDir::cleanPath(bin.filePath(QLatin1String(there)));
    if (QFileInfo(folder + QStringLiteral("/footlight/__init__.py")).exists()) return folder;
  }
  return {};
}

Worker::Worker(QObject* parent) : QObject(parent) {
  patience_.setSingleShot(true);
  connect(&patience_, &QTimer::timeout, this, &Worker::kill);
  connect(&probe_, &QProcess::finished, this, [this](int code) {
    const QString version = QString::fromUtf8(probe_.readAllStandardOutput()).trimmed();
    const QString folder = package_folder();
    if (code != 0 || version.isEmpty()) {
      Q_EMIT failed(
          QStringLiteral("%1 is not a working Python: %2")
              .arg(
                  request_.python,
                  QString::fromUtf8(probe_.readAllStandardError()).trimmed().section(QLatin1Char('\n'), -1)));
      return;
    }
    if (!folder.isEmpty()) {
      const QString tag = QStringLiteral("_engine.cpython-%1*.so").arg(QString(version).remove(QLatin1Char('.')));
      const QDir package(folder + QStringLiteral("/footlight"));
      if (package.entryList({tag}).isEmpty()) {
        QStringList have;
        for (QString name : package.entryList({QStringLiteral("_engine.cpython-*.so")})) {
          name = name.section(QLatin1Char('-'), 1, 1);
          have << name.left(1) + QLatin1Char('.') + name.mid(1);
        }
        if (have.isEmpty()) {
          Q_EMIT failed(QStringLiteral("The engine was not built: no extension module was found in ") + package.path());
        } else {
          Q_EMIT failed(QStringLiteral("%1 is Python %2, and the engine was built for %3. Choose another "
                                       "interpreter under Run > Run options.")
                            .arg(request_.python, version, have.join(QStringLiteral(", "))));
        }
        return;
      }
    }
    launch();
  });
  connect(&probe_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart)
      Q_EMIT failed(QStringLiteral("There is no interpreter at %1").arg(request_.python));
  });
  connect(&process_, &QProcess::readyRead, this, &Worker::read_output);
  connect(&process_, &QProcess::finished, this, &Worker::ended);
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) Q_EMIT failed(process_.errorString());
  });
  process_.setProcessChannelMode(QProcess::MergedChannels);
}

Worker::~Worker() {
  for (QProcess* p : {&probe_, &process_}) p->disconnect(this);
  if (probe_.state() != QProcess::NotRunning) {
    probe_.kill();
    probe_.waitForFinished(500);
  }
  if (running()) {
    kill();
    process_.waitForFinished(1000);
  }
  if (commands_ >= 0) ::close(commands_);
}

bool Worker::running() const {
  return probe_.state() != QProcess::NotRunning || process_.state() != QProcess::NotRunning;
}

void Worker::start(const RunRequest& request) {
  if (running()) return;
  request_ = request;
  printed_.clear();
  stopping_ = false;
  if (request_.python.isEmpty()) request_.python = choose_python({});
  if (request_.python.isEmpty()) {
    Q_EMIT failed(QStringLiteral("There is no python3 on the PATH"));
    return;
  }
  probe_.start(request_.python,
               {QStringLiteral("-c"), QStringLiteral("import sys; print('%d.%d' % sys.version_info[:2])")});
}

void Worker::launch() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    Q_EMIT failed(QStringLiteral("Cannot create a pipe for commands: ") + QString::fromLocal8Bit(strerror(errno)));
    return;
  }
  if (commands_ >= 0) ::close(commands_);
  commands_ = ends[1];
  const int theirs = ends[0];
  // Between fork and exec: its own process group, so that a stop reaches everything the script has started.
  process_.setChildProcessModifier([theirs] {
    setpgid(0, 0);
    fcntl(theirs, F_SETFD, 0);
  });
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  for (const QString& one : request_.environment)
    environment.insert(one.section(QLatin1Char('='), 0, 0), one.section(QLatin1Char('='), 1));
  const QString folder = package_folder();
  // Names the module by its path: -m would search the current folder first, where a file of this name may lie.
  QStringList words = folder.isEmpty() ? QStringList{QStringLiteral("-m"), QStringLiteral("footlight_recorder")}
                                       : QStringList{folder + QStringLiteral("/footlight_recorder/__main__.py")};
  if (!folder.isEmpty()) {
    const QString others = environment.value(QStringLiteral("PYTHONPATH"));
    environment.insert(QStringLiteral("PYTHONPATH"), others.isEmpty() ? folder : folder + QLatin1Char(':') + others);
  }
  environment.insert(QStringLiteral("PYTHONUNBUFFERED"), QStringLiteral("1"));
  process_.setProcessEnvironment(environment);
  process_.setWorkingDirectory(request_.directory.isEmpty() ? QFileInfo(request_.script).absolutePath()
                                                            : request_.directory);
  words += {QStringLiteral("-o"), request_.session, QStringLiteral("--level"), request_.level,
            QStringLiteral("--commands"), QString::number(theirs)};
  process_.start(request_.python, words + request_.options + QStringList{request_.script} + request_.arguments);
  const bool started = process_.waitForStarted(3000);
  ::close(theirs);
  if (!started) return;
  group_ = process_.processId();
  Q_EMIT this->started();
}

void Worker::stop() {
  if (!running()) return;
  if (probe_.state() != QProcess::NotRunning) {
    probe_.kill();
    return;
  }
  stopping_ = true;
  const char word[] = "stop\n";
  if (commands_ < 0 || ::write(commands_, word, sizeof word - 1) < 0) ::kill(static_cast<pid_t>(-group_), SIGINT);
  patience_.start(kPatienceMs);
}

void Worker::kill() {
  if (process_.state() == QProcess::NotRunning || group_ <= 0) return;
  ::kill(static_cast<pid_t>(-group_), SIGKILL);
}

void Worker::read_output() {
  printed_ += process_.readAll();
  if (printed_.size() > kPrintedBytes) printed_ = printed_.right(kPrintedBytes);
}

void Worker::ended(int code, QProcess::ExitStatus status) {
  patience_.stop();
  read_output();
  if (commands_ >= 0) ::close(commands_);
  commands_ = -1;
  QString reason;
  if (status == QProcess::CrashExit) {
    reason = QStringLiteral("The script was ended by signal %1 (%2)").arg(code).arg(signal_words(code));
    code += 128;
  } else if (code > 128 && code < 160) {
    reason = QStringLiteral("Ended by signal %1 (%2)").arg(code - 128).arg(signal_words(code - 128));
  } else if (code != 0) {
    reason = QStringLiteral("Exit code %1").arg(code);
  } else {
    reason = QStringLiteral("Finished");
  }
  if (stopping_) reason = QStringLiteral("Stopped");
  group_ = 0;
  Q_EMIT finished(code, reason);
}

}  // namespace footlight::app
