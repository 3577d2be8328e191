// Makes a report of each run and takes the figures of one function from it.
#include "app/session/run_compare.h"

#include "app/models/text.h"

#include "engine/base/errors.h"
#include "engine/explain/report.h"

#include <algorithm>

namespace footlight::app {

RunFigures figures_of(const QString& path, const QString& function, const std::string& cause,
                      const std::atomic<bool>* stop) {
  const auto goes_on = [stop] { return !stop || !*stop; };
  const auto reader = session::Reader::open(path.toStdString(), {[&](double) { return goes_on(); }});
  const explain::Report report = explain::make_report(*reader, [&] {
    if (!goes_on()) throw Error(ErrorKind::kCancelled, "cancelled");
  });
  RunFigures made;
  made.clock = run_clock(path, reader->contents().run.started_ns);
  for (const explain::ReportedFunction& f : report.functions) {
    if (q(f.name) != function) continue;
    made.calls += f.calls;
    made.traces += f.traces;
    made.trace_ns += f.trace_ns;
  }
  made.times.run_ns = session::run_time(reader->contents().run, reader->contents().end, reader->first_time(),
                                        reader->last_time());
  made.times.events_ns = reader->events_ns();
  const auto& end = reader->contents().end;
  made.ended = !end ? QStringLiteral("did not end") : end->reason.empty() ? QStringLiteral("finished") : q(end->reason);
  made.failed = !end || end->exit_code != 0 || end->signal != 0;
  for (const session::ConsoleRecord& c : reader->contents().console)
    if (c.stream == session::ConsoleStream::kStdout || c.stream == session::ConsoleStream::kTfPrint)
      made.printed += q(c.text);
  const auto found = std::ranges::find_if(report.findings, [&](const explain::Finding& f) {
    return f.cause == cause && q(explain::function_name(*reader, f)) == function;
  });
  made.found = found != report.findings.end();
  if (made.found && found->saved.empty() && found->severity == explain::Severity::kCost) made.cost_ns = found->cost_ns;
  return made;
}

RunCompare::RunCompare(QObject* parent) : QObject(parent) { threads_.setMaxThreadCount(1); }

RunCompare::~RunCompare() {
  cancel();
  threads_.waitForDone();  // soon: the thread calls back
}

void RunCompare::cancel() {
  if (stop_) *stop_ = true;
  stop_.reset();
}

void RunCompare::start(const QString& before, const QString& after, const QString& function,
                       const std::string& cause) {
  cancel();
  stop_ = std::make_shared<std::atomic<bool>>(false);
  threads_.start([this, stop = stop_, before, after, function, cause] {
    RunPair pair;
    try {
      pair.before = figures_of(before, function, cause, stop.get());
      pair.after = figures_of(after, function, cause, stop.get());
    } catch (const std::exception& e) {
      pair.error = QString::fromUtf8(e.what());
    }
    QMetaObject::invokeMethod(
        this,
        [this, stop, pair] {
          if (stop == stop_) Q_EMIT finished(pair);
        },
        Qt::QueuedConnection);
  });
}

}  // namespace footlight::app
