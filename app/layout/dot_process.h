// Runs Graphviz in its own process: its layout cannot be cancelled, but a process can be killed.
#pragma once

#include "app/layout/problem.h"

#include <QObject>
#include <QProcess>
#include <QTimer>

namespace footlight::app {

class DotProcess : public QObject {
  Q_OBJECT

 public:
  explicit DotProcess(QObject* parent = nullptr);
  ~DotProcess() override;

  // Emits exactly one of finished() and failed(), or neither if cancelled.
  void start(const LayoutProblem& problem);
  void cancel();
  bool running() const;

  void set_program(const QString& program) { program_ = program; }
  void set_limit_ms(int ms) { limit_ms_ = ms; }
  qint64 process_id() const { return process_ ? process_->processId() : 0; }

 Q_SIGNALS:
  void finished(const footlight::app::LayoutResult& result);
  void failed(const QString& reason);

 private:
  void done();
  void drop();
  void fail(const QString& reason);

  QString program_ = QStringLiteral("dot");
  int limit_ms_ = 5000;
  LayoutProblem problem_;
  QProcess* process_ = nullptr;
  QTimer timer_;
};

}  // namespace footlight::app
