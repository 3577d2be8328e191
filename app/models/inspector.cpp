// Collects everything known about a selection.
#include "app/models/inspector.h"

#include "app/models/function_groups.h"
#include "app/models/inspector_writer.h"
#include "app/models/keys.h"
#include "app/models/run_end.h"
#include "app/models/trace_counts.h"
#include "app/models/values.h"

#include "engine/explain/compare/text.h"
#include "engine/explain/engines.h"
#include "engine/session/nothing_ran.h"

#include <algorithm>

namespace footlight::app {
namespace {

constexpr size_t kMaxShownErrors = 3;  // errors of one function
constexpr uint64_t kFewHits = 19;      // of so few the 5th and 95th percentiles are the least and the greatest

// The words that count, then all of it.
QString error_and_frames(const std::string& error) {
  const QString first = error_line(error), all = q(error).trimmed();
  return all.contains(QLatin1Char('\n')) ? first + QStringLiteral("\n\n") + all : all;
}

}  // namespace

void InspectorWriter::run() {
  const session::RunRecord& r = document_.run;
  content_.title = file_name(r.script);
  if (session::nothing_ran(r.engine)) {
    row_if(session::is_model(r.engine) ? "Model" : "Program", q(r.script));
    row("Kind", q(r.engine));
    row("Graphs", count_text(document_.graphs.size()));
    row("Recorded", QStringLiteral("Nothing ran: this is ") + QLatin1String(session::source_of_graphs(r.engine)));
    return;
  }
  row_if("Script", q(r.script));
  row_if("Arguments", joined(r.arguments, " "));
  row_if("Directory", q(r.working_directory));
  row_if("Started", clock_text(r.started_ns));
  row_if("Took", document_.duration_ns() ? duration_text(document_.duration_ns()) : QString());
  row_if("Python", q(r.python));
  row_if("Engine", q(r.engine));
  row_if("Machine", q(r.machine));
  row("Functions", count_text(document_.functions.size()));
  const TraceCounts counts = counts_of(document_.traces);
  row("Traces", count_text(counts.traces));
  if (counts.failed) row("Failed traces", count_text(counts.failed), "red");
  row("Calls", count_text(document_.calls));
  row("Op events", count_text(document_.events));
  row("Level", document_.level);
  if (document_.dropped) row("Dropped", count_text(document_.dropped), "amber");
  if (document_.end) {
    const bool good = document_.end->exit_code == 0 && document_.end->signal == 0;
    row("Ended", run_end(document_).text, good ? "" : "red");
    if (!good) row("Exit code", QString::number(document_.end->exit_code));
  }
  if (!document_.damage.isEmpty()) row("File", document_.damage, "red");
  if (facts_) {
    add(device_group(facts_->device_sums, true));
    add(device_group(facts_->device_sums, false));
  }
}

void InspectorWriter::function() {
  const session::FunctionRecord* f = document_.function(s_.function);
  if (!f) return;
  content_.title = function_title(document_, *f);
  const auto traces = document_.traces_of(f->id);
  if (traces.empty()) content_.tag = QStringLiteral("Not traced"), content_.tag_tone = QStringLiteral("blue");
  const bool is_defined = session::nothing_ran(document_.run.engine) || is_definition(document_, {f->file, f->line});
  place(is_defined ? "Defined" : "Called at", {f->file, f->line});
  if (f->decorator_line && f->decorator_line != f->line) place("Decorated", {f->file, f->decorator_line});
  // TorchDynamo's traces are kept by guards, which look at more than arguments.
  row_if(explain::is_torch(f) ? "Guards look at" : "Parameters", joined(f->parameters, ", "));
  if (const session::FunctionRecord* of = document_.function(f->parent); explain::is_resume(*f) && of)
    link("Resumes", function_title(document_, *of), Selection::of_function(document_, of->id));
  const query::CallSums sums = document_.calls_of(f->id);
  int64_t tracing = 0;
  for (const auto* t : traces) tracing += std::max<int64_t>(0, t->end_ns - t->start_ns);
  const TraceCounts counts = counts_of(traces);
  if (session::nothing_ran(document_.run.engine)) {
    row("Graphs in the file", count_text(counts.traces));
  } else {
    row("Called", counted(sums.calls, "time", "times"));
    row("Traced", counted(counts.traces, "time", "times"), counts.traces > 2 ? "amber" : "");
  }
  if (counts.failed) row("Tracing failed", counted(counts.failed, "time", "times"), "red");
  if (tracing) row("Tracing took", duration_text(tracing));
  if (facts_ && facts_->waits)
    row("Threads waited", counted(facts_->waits, "time", "times") + QStringLiteral("  ") +
                              duration_text(facts_->waited_ns));
  per_hit([&](const explain::Comparison& c) { return c.function == f->id; });
  size_t failed = 0;
  for (auto t = traces.rbegin(); t != traces.rend(); ++t) {
    if ((*t)->error.empty() || ++failed > kMaxShownErrors) continue;
    group(QStringLiteral("Trace #%1 failed").arg((*t)->number));
    content_.groups.back().paragraph = error_and_frames((*t)->error);
  }
  if (failed > kMaxShownErrors)
    row("", QStringLiteral("and %1").arg(counted(failed - kMaxShownErrors, "earlier one", "earlier ones")));
  if (facts_) add(layers_group(facts_->layers));
  source({f->file, f->line}, 4);
  if (!traces.empty()) {
    if (!session::nothing_ran(document_.run.engine)) go("Why it was traced", "retraces", s_);
    // Tracing that failed leaves no graph.
    const auto with_graph = std::ranges::find_if(
        traces, [&](const session::TraceRecord* t) { return document_.graph(t->graph()) != nullptr; });
    if (with_graph != traces.end()) go("Show the graph", "graph", Selection::of_trace(document_, (*with_graph)->id));
    go("Show generated code", "autograph", s_);
  }
}

// Adds the recorded time of hits: a comparison knows how much of that is recording.
void InspectorWriter::per_hit(const std::function<bool(const explain::Comparison&)>& of_these) {
  if (!facts_ || !facts_->hits.count) return;
  const query::HitTimes& hits = facts_->hits;
  QString text = duration_text(hits.median);
  if (hits.p5 != hits.p95)
    text += QStringLiteral(" median, %1 to %2 in ").arg(duration_text(hits.p5), duration_text(hits.p95)) +
            (hits.count <= kFewHits ? QStringLiteral("all %1").arg(hits.count) : QStringLiteral("nine of ten"));
  row("Per hit", text);
  const explain::Comparison* measured = nullptr;
  for (const auto& c : document_.comparisons)
    if (of_these(*c) && c->pairs_with_events && c->pairs > c->pairs_with_events) measured = c.get();
  if (!measured) {
    row("Recording adds", QStringLiteral("Not measured; Compare measures it"));
    return;
  }
  // Hits of a function's other traces may take another time: what was compared is one of them.
  const session::TraceRecord* compared = document_.trace(measured->trace);
  const bool is_one_of = compared && s_.kind == Selection::Kind::kFunction &&
                         document_.traces_of(compared->function).size() > 1;
  const double unrecorded = measured->traced.total.mean, adds = static_cast<double>(hits.median) - unrecorded;
  if (is_one_of)
    row("Recording adds", QStringLiteral("Known for #%1: see that trace").arg(compared->number));
  else
    row("Recording adds", adds > 0 ? q(explain::time_text(adds)) + QStringLiteral(", by this median")
                                   : QStringLiteral("Nothing measurable"));
  row("Unrecorded", q(explain::time_text(unrecorded)) + QStringLiteral(", in Compare") +
                        (is_one_of ? QStringLiteral(" of #%1").arg(compared->number) : QString()));
}

void InspectorWriter::trace() {
  const session::TraceRecord* t = document_.trace(s_.trace);
  if (!t) return;
  content_.title = QStringLiteral("Trace #%1").arg(t->number);
  if (!t->error.empty()) content_.tag = QStringLiteral("Failed"), content_.tag_tone = QStringLiteral("red");
  if (const auto* f = document_.function(t->function)) {
    link("Function", explain::is_resume(*f) ? function_title(document_, *f) : q(f->name),
         Selection::of_function(document_, f->id));
  }
  place("Made by", document_.place(t->source));
  if (t->end_ns > t->start_ns) {
    row("Traced in", duration_text(t->end_ns - t->start_ns));
  }
  const query::CallSums sums = document_.calls_of(t->id);
  if (!session::nothing_ran(document_.run.engine))
    row("Called", counted(sums.calls, "time", "times"), sums.calls <= 1 && t->number > 1 ? "amber" : "");
  per_hit([&](const explain::Comparison& c) { return c.trace == t->id; });
  if (sums.calls) row("Calls in total", duration_text(sums.total_ns));
  if (t->cached && t->error.empty()) row("Added to", counted(t->cached, "live trace", "live traces"));
  if (const session::GraphRecord* g = document_.graph(t->graph())) row("Nodes", count_text(g->nodes.size()));
  const auto guards_on = [t](bool context) {
    return static_cast<uint64_t>(std::ranges::count_if(t->key, [&](const session::KeyLeaf& leaf) {
      return leaf.role == (context ? session::KeyRole::kContext : session::KeyRole::kGuard);
    }));
  };
  if (explain::is_torch(document_.function(t->function)) && !t->key.empty())
    row("Guards", QStringLiteral("%1 on values, %2 on the context").arg(guards_on(false)).arg(guards_on(true)));
  row_if("Why", q(t->why));
  if (const session::TraceRecord* near = document_.trace(t->nearest)) {
    link("Nearest", QStringLiteral("#%1  %2").arg(near->number).arg(q(near->signature)),
         Selection::of_trace(document_, near->id));
  }
  add(phases_group(document_, *t));
  if (const session::GraphRecord* g = document_.graph(t->graph())) {
    add(passes_group(document_, *g));
    add(memory_group(*g));
  }
  if (facts_) add(layers_group(facts_->layers));
  callers();
  if (!t->error.empty()) {
    group(QStringLiteral("Tracing failed"));
    content_.groups.back().paragraph = error_and_frames(t->error);
  }
  if (!t->captures.empty()) {
    group(QStringLiteral("Captures"));
    for (const std::string& c : t->captures) {
      const size_t space = c.find(' ');
      row(c.substr(0, space).c_str(), space == std::string::npos ? QString() : q(c.substr(space + 1)));
    }
  }
  source(document_.place(t->source));
  const bool has_graph = document_.graph(t->graph()) != nullptr;
  if (has_graph) go("Show the graph", "graph", s_);
  go("Key compared with the nearest trace", "retraces", s_);
  if (has_graph) go("Compare graphs", "diff", s_);
  go("Show generated code", "autograph", s_);
}

InspectorContent InspectorWriter::write() {
  switch (s_.kind) {
    case Kind::kNothing:
    case Kind::kRun: run(); break;
    case Kind::kFunction: function(); break;
    case Kind::kTrace: trace(); break;
    case Kind::kNode: node(); break;
    case Kind::kLine: line(s_.place); break;
    case Kind::kGenerated:
      if (s_.place) {
        line(s_.place);
      } else {
        content_.title = QStringLiteral("Generated line %1").arg(s_.generated_line);
        content_.groups.back().paragraph = QStringLiteral("Not from a line of your code: added by AutoGraph.");
      }
      break;
    case Kind::kCall: call(); break;
    case Kind::kEvent: event(); break;
    case Kind::kDevice: device(); break;
  }
  return std::move(content_);
}

InspectorContent inspect(const Document& document, const Selection& selection, const SelectionFacts* facts,
                         const query::LineSums* lines) {
  return InspectorWriter(document, selection, facts && facts->of == selection ? facts : nullptr, lines).write();
}

QString as_markdown(const InspectorContent& content) {
  QString text = QStringLiteral("### ") + markdown_words(content.title) + QLatin1Char('\n');
  for (const InspectorGroup& g : content.groups) {
    if (!g.title.isEmpty()) text += QStringLiteral("\n**") + markdown_words(g.title) + QStringLiteral("**\n");
    if (!g.paragraph.isEmpty()) text += QLatin1Char('\n');
    for (const QString& line : g.paragraph.split(QLatin1Char('\n'), Qt::SkipEmptyParts))
      text += markdown_words(line) + QLatin1Char('\n');
    if (!g.rows.empty()) text += QLatin1Char('\n');
    for (const InspectorRow& r : g.rows) {
      const auto add = [&text](const char* bullet, const InspectorRow& row) {
        text += QLatin1String(bullet) +
                (row.label.isEmpty() ? QString() : markdown_words(row.label) + QStringLiteral(": ")) +
                markdown_code(row.value) + QLatin1Char('\n');
      };
      add("- ", r);
      for (const InspectorRow& inner : r.inner) add("  - ", inner);
    }
  }
  for (const session::TensorValue* value : content.values)
    text += QStringLiteral("\nValue in call %1: %2, min %3, max %4, mean %5\n")
                .arg(QString::number(content.call_values->call), finite_text(*value),
                     q(explain::number_text(value->minimum)), q(explain::number_text(value->maximum)),
                     q(explain::number_text(value->mean)));
  if (!content.snippet.empty()) {
    QString lines;
    for (const CodeLine& l : content.snippet) {
      lines += l.text + (l.number == content.snippet_line ? QStringLiteral("  # <- here") : QString()) +
               QLatin1Char('\n');
    }
    text += QLatin1Char('\n') + markdown_block("python", lines);
  }
  return text;
}

}  // namespace footlight::app
