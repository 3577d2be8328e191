// Makes a report of each run and takes the figures of one function from it.
#include "app/session/run_compare.h"

#include "app/models/text.h"

#include "engine/explain/report.h"

#include <algorithm>

namespace footlight::app {

RunFigures figures_of(const QString& path, const QString& function, const std::string& cause) {
  const auto reader = session::Reader::open(path.toStdString());
  const explain::Report report = explain::make_report(*reader);
  RunFigures made;
  made.clock = clock_text(reader->contents().run.started_ns);
  for (const explain::ReportedFunction& f : report.functions) {
    if (q(f.name) != function) continue;
    made.traces += f.traces;
    made.trace_ns += f.trace_ns;
  }
  made.seconds = report.seconds;
  const auto& end = reader->contents().end;
  made.ended = !end ? QStringLiteral("did not end") : end->reason.empty() ? QStringLiteral("finished") : q(end->reason);
  for (const session::ConsoleRecord& c : reader->contents().console)
    if (c.stream == session::ConsoleStream::kStdout || c.stream == session::ConsoleStream::kTfPrint)
      made.printed += q(c.text);
  made.found = std::ranges::any_of(report.findings, [&](const explain::Finding& f) {
    return f.cause == cause && q(explain::function_name(*reader, f)) == function;
  });
  return made;
}

RunCompare::RunCompare(QObject* parent) : QObject(parent) { threads_.setMaxThreadCount(1); }

RunCompare::~RunCompare() { threads_.waitForDone(); }

void RunCompare::start(const QString& before, const QString& after, const QString& function,
                       const std::string& cause) {
  threads_.start([this, asked = ++asked_, before, after, function, cause] {
    RunPair pair;
    try {
      pair.before = figures_of(before, function, cause);
      pair.after = figures_of(after, function, cause);
    } catch (const std::exception& e) {
      pair.error = QString::fromUtf8(e.what());
    }
    QMetaObject::invokeMethod(
        this,
        [this, asked, pair] {
          if (asked == asked_) Q_EMIT finished(pair);
        },
        Qt::QueuedConnection);
  });
}

}  // namespace footlight::app
