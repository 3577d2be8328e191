// One run of a script: the worker process in its own process group, controlled through an inherited descriptor.
#pragma once

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QStringList>
#include <QTimer>

namespace footlight::app {

struct RunRequest {
  QString script;
  QStringList arguments;
  QString directory;       // working directory; empty: the script's
  QString session;         // file to write
  QString python;          // interpreter; empty: choose_python()
  QString level = QStringLiteral("ops");
  QStringList environment; // "NAME=value", besides this process's own
  QStringList options;     // more of the recorder's, before the script
};

// The one in the settings, else the one that made the recording, else of FOOTLIGHT_PYTHON, else of the active virtual
// environment, else python3 on the path.
QString choose_python(const QString& setting, const QString& recorded = {});
// The Python package that was built with this program; empty: the one the interpreter finds by itself.
QString package_folder();

class Worker : public QObject {
  Q_OBJECT

 public:
  explicit Worker(QObject* parent = nullptr);
  ~Worker() override;

  void start(const RunRequest& request);
  // Asks the worker to end its script (with SIGINT, SIGTERM, SIGKILL in turn); if it is still running some time
  // after that, kills the process group.
  void stop();
  void kill();
  bool running() const;
  bool stopping() const { return stopping_; }
  qint64 process_id() const { return process_.processId(); }
  const RunRequest& request() const { return request_; }

  void write_input(const QByteArray& text) { process_.write(text); }
  void end_input() { process_.closeWriteChannel(); }
  // The end of what the process printed: shown when the session has no console output.
  QString printed() const { return QString::fromUtf8(printed_); }

 Q_SIGNALS:
  void started();
  void failed(const QString& reason);                   // could not be started
  void finished(int exit_code, const QString& reason);  // reason: text for the console

 private:
  void launch();
  void read_output();
  void ended(int code, QProcess::ExitStatus status);

  RunRequest request_;
  QProcess probe_;
  QProcess process_;
  QTimer patience_;
  QByteArray printed_;
  int commands_ = -1;  // our end of the pipe
  qint64 group_ = 0;
  bool stopping_ = false;
};

}  // namespace footlight::app
