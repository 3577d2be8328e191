// Counts what the views show, and says where to look when one of them is empty.
#include "app/models/view_leads.h"

#include "app/models/function_groups.h"
#include "app/models/run_end.h"
#include "app/models/text.h"

#include "engine/explain/engines.h"
#include "engine/session/imported.h"
#include "engine/session/run_times.h"

#include <algorithm>

namespace footlight::app {
namespace {

ViewLead to_console(const Document& document, QString text) {
  if (document.console.empty()) return {std::move(text), {}, {}, {}};
  return {std::move(text), {}, QStringLiteral("Open Console"), QStringLiteral("console")};
}

ViewLead to_timeline(QString text) {
  return {std::move(text), {}, QStringLiteral("Open Timeline"), QStringLiteral("timeline")};
}

// No function was traced in the run at all.
ViewLead without_functions(const Document& document) {
  if (document.path.isEmpty() && document.events == 0 && document.run.script.empty())
    return {QStringLiteral("Nothing has run yet: Run (F5) starts the script."), {}, {}, {}};
  const QString yet = document.live ? QStringLiteral(" yet") : QString();
  if (document.level == QStringLiteral("off"))
    return to_console(document, QStringLiteral("Functions, calls and ops were not recorded (level off)."));
  if (document.level == QStringLiteral("structure"))
    return to_console(document, QStringLiteral("No function was traced in this recording") + yet +
                                    QStringLiteral("; ops were not recorded (level structure)."));
  if (document.events == 0)
    return to_console(document, QStringLiteral("No function was traced and no op ran in this recording") + yet +
                                    QLatin1Char('.'));
  return to_timeline(QStringLiteral("No function was traced in this recording") + yet + QStringLiteral("; ") +
                     counted(document.events, "eager op", "eager ops") + QStringLiteral(" ran one by one."));
}

// Uses the lines at which it was defined and created.
QString why_not_converted(const Document& document, const session::FunctionRecord& f) {
  if (explain::is_jax(&f)) return QStringLiteral("JAX traces Python as it is.");
  if (explain::is_torch(&f)) return QStringLiteral("TorchDynamo traces the function's bytecode as it is.");
  if (is_of_library(document, f)) return QStringLiteral("AutoGraph leaves the code of libraries as it is.");
  std::vector<int> lines{f.decorator_line, f.line};
  for (int above = f.line - 1; document.line_text({f.file, above}).trimmed().startsWith(QLatin1Char('@')); --above)
    lines.push_back(above);
  for (const int line : lines) {
    const QString text = document.line_text({f.file, line}).remove(QLatin1Char(' '));
    if (text.contains(QStringLiteral("autograph=False"))) return QStringLiteral("it was made with autograph=False.");
    if (text.contains(QStringLiteral("do_not_convert"))) return QStringLiteral("do_not_convert leaves it in Python.");
  }
  if (!f.file.valid() || document.lines(f.file).empty())
    return QStringLiteral("its code is in no file, as after exec() or at a prompt.");
  const QString line = document.line_text({f.file, f.line});
  const bool has_code = line.contains(QStringLiteral("def ")) || line.contains(QStringLiteral("lambda"));
  const bool failed = std::ranges::any_of(document.traces_of(f.id), [](const auto* t) { return !t->error.empty(); });
  if (failed && has_code) return QStringLiteral("tracing failed before it came to that.");
  return has_code ? QStringLiteral("it was made with autograph=False.")
                  : QStringLiteral("it is an object or a wrapper, whose code AutoGraph cannot see.");
}

QString choose(LeadFor view) {
  switch (view) {
    case LeadFor::kGraph: return QStringLiteral("Choose a trace on the left to see its graph.");
    case LeadFor::kAutograph: return QStringLiteral("Choose a function on the left to see what AutoGraph made of it.");
    case LeadFor::kCompare:
      return QStringLiteral("Select a traced function: the same call then runs both ways, and the difference is "
                            "explained part by part.");
    default: return QStringLiteral("Choose a function on the left to see why it was traced.");
  }
}

}  // namespace

uint64_t eager_ops(const Document& document) {
  uint64_t ops = 0;
  for (const explain::EagerPlace& place : document.eager.places) ops += place.ops;
  return ops;
}

ViewLead graph_lead(const Document& document, GraphId root) {
  const session::GraphRecord* graph = document.graph(root);
  const session::TraceRecord* trace = document.trace_of_graph(root);
  if (!graph) return {};
  uint64_t inside = 0;
  for (const GraphId id : trace ? document.graphs_of_trace(trace->id) : std::vector<GraphId>{})
    if (const session::GraphRecord* g = document.graph(id); g && id != root) inside += g->nodes.size();
  QString text = trace ? QStringLiteral("#%1: ").arg(trace->number) : QString();
  text += counted(graph->nodes.size(), "node", "nodes");
  if (inside && trace->graph() == root)
    text += QStringLiteral(", and %1 in the branches, loops and functions that they call").arg(count_text(inside));
  return {text, {}, {}, {}};
}

ViewLead autograph_lead(const std::vector<CodeLine>& lines) {
  uint64_t staged = 0, python = 0, fell_back = 0;
  for (const CodeLine& line : lines) {
    staged += line.fate == QStringLiteral("staged");
    python += line.fate == QStringLiteral("python");
    fell_back += line.fate == QStringLiteral("fallback");
  }
  QStringList parts;
  if (staged) parts << counted(staged, "line went", "lines went") + QStringLiteral(" into the graph");
  if (python) parts << counted(python, "line ran", "lines ran") + QStringLiteral(" in Python while tracing");
  if (fell_back) parts << counted(fell_back, "line fell", "lines fell") + QStringLiteral(" back to Python");
  return {parts.join(QStringLiteral(", ")), fell_back ? QStringLiteral("red") : QString(), {}, {}};
}

ViewLead timeline_lead(const Document& document) {
  QString text = counted(document.events, "op event", "op events");
  if (!document.events && !document.calls && !document.device_events)
    text = QStringLiteral("No call of a traced function and no op was recorded, only spans");
  if (const uint64_t eager = eager_ops(document); eager && eager <= document.events) {
    text += eager == document.events ? QStringLiteral(", all eager")
                                     : QStringLiteral(", %1 of them eager").arg(count_text(eager));
  }
  if (const uint64_t evaluated = document.eager.while_tracing; evaluated && evaluated <= document.events)
    text += QStringLiteral(", %1 evaluated while tracing").arg(count_text(evaluated));
  if (document.calls) text += QStringLiteral("; ") + counted(document.calls, "call", "calls");
  if (const int64_t ns = session::tracing_time(document.traces); ns > 0)
    text += QStringLiteral("; functions were being traced for %1 of %2")
                .arg(duration_text(ns), duration_text(std::max(ns, document.duration_ns())));
  // Nothing is recorded before the first event.
  const int64_t before = document.run.started_ns > 0 ? document.first_ns() - document.run.started_ns : 0;
  const bool began_with_python = !session::is_imported(document.run.engine);
  if (constexpr int64_t kLongStart = 20'000'000; before >= kLongStart && document.first_ns() > 0 && began_with_python)
    text += QStringLiteral("; Python's start, imports and other code took %1 before the first event")
                .arg(duration_text(before));
  if (document.dropped)
    return {text + QStringLiteral("; incomplete: ") + counted(document.dropped, "event was", "events were") +
                QStringLiteral(" dropped"),
            QStringLiteral("red"), {}, {}};
  return {text, {}, {}, {}};
}

ViewLead nothing_to_show(const Document& document, const Selection& selection, LeadFor view) {
  if (view == LeadFor::kTimeline) {
    if (document.live || (document.path.isEmpty() && document.run.script.empty()))
      return {QStringLiteral("Nothing has run yet: calls and op events appear here while the script runs."),
              {}, {}, {}};
    if (document.level == QStringLiteral("off"))
      return to_console(document, QStringLiteral("Calls and ops were not recorded (level off)."));
    if (document.level == QStringLiteral("structure"))
      return to_console(document, QStringLiteral("No traced function was called in this recording; ops were not "
                                                 "recorded (level structure)."));
    return to_console(document, QStringLiteral("No call of a traced function and no op ran in this recording."));
  }
  if (view == LeadFor::kSource) return to_console(document, QStringLiteral("No source was recorded."));
  if (document.functions.empty()) return without_functions(document);
  const session::FunctionRecord* f = document.function(selection.function);
  if (!f) return {choose(view), {}, {}, {}};
  const QString name = q(f->name);
  if (document.traces_of(f->id).empty()) {
    const uint64_t calls = document.calls_of(f->id).calls;
    QString text = name + QStringLiteral(" was not traced");
    if (calls) return to_timeline(text + QStringLiteral(": ") + counted(calls, "call", "calls") +
                                  QStringLiteral(" ran without a graph."));
    return {text + QStringLiteral(" in this recording."), {}, {}, {}};
  }
  if (view == LeadFor::kAutograph) {
    const QString text = name + QStringLiteral(" was not converted: ") + why_not_converted(document, *f);
    // Tracing that failed leaves no graph.
    const bool has_graph = std::ranges::any_of(
        document.traces_of(f->id), [&](const auto* t) { return document.graph(t->graph()) != nullptr; });
    if (!has_graph) return {text, {}, QStringLiteral("Why it was traced"), QStringLiteral("retraces")};
    return {text, {}, QStringLiteral("Show its graph"), QStringLiteral("graph")};
  }
  const session::TraceRecord* t = document.trace(selection.trace);
  if (t && !t->error.empty())
    return to_console(document, QStringLiteral("Tracing failed, so there is no graph.\n") +
                                    error_line(t->error));
  if (view == LeadFor::kGraph && t)
    return {QStringLiteral("The graph of this trace was not recorded."), {}, QStringLiteral("Why it was traced"),
            QStringLiteral("retraces")};
  return {choose(view), {}, {}, {}};
}

}  // namespace footlight::app
