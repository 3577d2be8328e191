// Two runs of a script beside each other: what a function traced in each, how long each took, what each printed.
#pragma once

#include "engine/session/run_times.h"

#include <QObject>
#include <QString>
#include <QThreadPool>

#include <atomic>
#include <memory>
#include <optional>

namespace footlight::app {

struct RunFigures {
  QString clock;          // when it began
  uint64_t calls = 0;     // calls of the function
  size_t traces = 0;      // traces of the function
  int64_t trace_ns = 0;   // time of all its traces
  session::RunTimes times;
  QString ended;          // "finished", "killed by signal 11"
  bool failed = false;    // it ended with an error, by a signal, or nobody knows how
  QString printed;        // print and tf.print
  bool found = false;     // a finding of that cause in that function
  int64_t cost_ns = 0;    // what that finding costs; 0 if there is none, or if it costs traces
};

struct RunPair {
  RunFigures before, after;
  QString error;          // why there are no figures
};

// The same figures as `footlight report` gives. Throws if the file cannot be read, and soon after `stop` is set.
RunFigures figures_of(const QString& path, const QString& function, const std::string& cause,
                      const std::atomic<bool>* stop = nullptr);

// Reads both in a thread of its own.
class RunCompare : public QObject {
  Q_OBJECT

 public:
  explicit RunCompare(QObject* parent = nullptr);
  ~RunCompare() override;
  // A comparison that is under way is dropped.
  void start(const QString& before, const QString& after, const QString& function, const std::string& cause);
  void cancel();

 Q_SIGNALS:
  void finished(const footlight::app::RunPair& pair);

 private:
  std::shared_ptr<std::atomic<bool>> stop_;   // stops the job whose result counts
  QThreadPool threads_;
};

}  // namespace footlight::app
