// Collects everything known about a selection.
#include "app/models/inspector.h"

#include "app/models/inspector_parts.h"
#include "app/models/keys.h"
#include "app/models/function_groups.h"
#include "app/models/run_end.h"
#include "app/models/text.h"
#include "app/models/values.h"

#include "engine/explain/compare/text.h"
#include "engine/explain/users_line.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace footlight::app {
namespace {

constexpr size_t kMostNodes = 5;  // of a line
constexpr size_t kMaxShownErrors = 3;  // of a function
constexpr qsizetype kLongLine = 60;
constexpr uint64_t kFewHits = 10;        // of which no spread is shown
constexpr uint32_t kMaxValues = 4;      // of a node with many outputs

class Writer {
 public:
  Writer(const Document& document, const Selection& selection, const SelectionFacts* facts,
         const query::LineSums* lines)
      : document_(document), s_(selection), facts_(facts), lines_(lines) {
    content_.groups.emplace_back();
  }

  InspectorContent write();

 private:
  using Kind = Selection::Kind;

  void group(const QString& title) { content_.groups.push_back({title, {}, {}}); }
  InspectorRow& row(const char* label, const QString& value, const char* tone = "") {
    InspectorRow made;
    made.label = QString::fromUtf8(label);
    made.value = value;
    made.tone = QLatin1String(tone);
    content_.groups.back().rows.push_back(made);
    return content_.groups.back().rows.back();
  }
  void row_if(const char* label, const QString& value) {
    if (!value.isEmpty()) row(label, value);
  }
  void link(const char* label, const QString& value, const Selection& target) {
    InspectorRow& made = row(label, value, "blue");
    made.link = true;
    made.target = target;
  }
  void place(const char* label, Place place) {
    if (place) link(label, document_.place_text(place), Selection::of_line(document_, place));
  }
  void go(const char* text, const char* view, const Selection& target) {
    content_.links.push_back({QString::fromUtf8(text), QLatin1String(view), target});
  }
  void add(InspectorGroup made) {
    if (!made.rows.empty()) content_.groups.push_back(std::move(made));
  }
  void did_not_run() {
    InspectorRow made;
    made.label = QStringLiteral("Value");
    made.value = QStringLiteral("It did not run in the recorded call");
    made.tone = QStringLiteral("faint");
    content_.groups.front().rows.push_back(made);
  }
  void callers() {
    if (facts_) add(callers_group(document_, facts_->callers));
  }
  void source(Place place, int around = 3) {
    if (!place || !document_.file(place.file)) return;
    content_.snippet_title = file_name(document_.file(place.file)->path);
    content_.snippet = snippet(document_, place, around);
    content_.snippet_line = place.line;
    content_.snippet_place = place;
  }

  void run();
  void function();
  void per_hit(const std::function<bool(const explain::Comparison&)>& of_these);
  void trace();
  void node();
  void line(Place place);
  void call();
  void event();
  void device();

  const Document& document_;
  const Selection& s_;
  const SelectionFacts* facts_;
  const query::LineSums* lines_;
  InspectorContent content_;
};

// The words that count, then all of it.
QString error_and_frames(const std::string& error) {
  const QString first = error_line(error), all = q(error).trimmed();
  return all.contains(QLatin1Char('\n')) ? first + QStringLiteral("\n\n") + all : all;
}

void Writer::run() {
  const session::RunRecord& r = document_.run;
  content_.title = file_name(r.script);
  row_if("Script", q(r.script));
  row_if("Arguments", joined(r.arguments, " "));
  row_if("Directory", q(r.working_directory));
  row_if("Started", clock_text(r.started_ns));
  row_if("Took", document_.duration_ns() ? duration_text(document_.duration_ns()) : QString());
  row_if("Python", q(r.python));
  row_if("Engine", q(r.engine));
  row_if("Machine", q(r.machine));
  row("Functions", count_text(document_.functions.size()));
  row("Traces", count_text(document_.traces.size()));
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

void Writer::function() {
  const session::FunctionRecord* f = document_.function(s_.function);
  if (!f) return;
  content_.title = function_title(document_, *f);
  const auto traces = document_.traces_of(f->id);
  if (traces.empty()) content_.tag = QStringLiteral("Not traced"), content_.tag_tone = QStringLiteral("blue");
  place("Defined", {f->file, f->line});
  if (f->decorator_line && f->decorator_line != f->line) place("Decorated", {f->file, f->decorator_line});
  row_if("Parameters", joined(f->parameters, ", "));
  const query::CallSums sums = document_.calls_of(f->id);
  int64_t tracing = 0;
  for (const auto* t : traces) tracing += std::max<int64_t>(0, t->end_ns - t->start_ns);
  row("Called", counted(sums.calls, "time", "times"));
  row("Traced", counted(traces.size(), "time", "times"), traces.size() > 2 ? "amber" : "");
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
    go("Why it was traced", "retraces", s_);
    go("Show the graph", "graph", Selection::of_trace(document_, traces.front()->id));
    go("Show generated code", "autograph", s_);
  }
}

// What hits took, which is as recorded: a comparison knows how much of that is recording.
void Writer::per_hit(const std::function<bool(const explain::Comparison&)>& of_these) {
  if (!facts_ || !facts_->hits.count) return;
  const query::HitTimes& hits = facts_->hits;
  QString text = duration_text(hits.median);
  if (hits.p5 != hits.p95)
    text += QStringLiteral(" median, %1 to %2 in nine of ten").arg(duration_text(hits.p5), duration_text(hits.p95));
  row("Per hit", text);
  const explain::Comparison* measured = nullptr;
  for (const auto& c : document_.comparisons)
    if (of_these(*c) && c->pairs_with_events && c->pairs > c->pairs_with_events) measured = c.get();
  if (!measured) {
    row("Recording adds", QStringLiteral("Not measured; Compare measures it"));
    return;
  }
  row("Recording adds", q(explain::recording_text(measured->traced)));  // as Compare's sentence
  row("Unrecorded", q(explain::time_text(measured->traced.total.mean)));
}

void Writer::trace() {
  const session::TraceRecord* t = document_.trace(s_.trace);
  if (!t) return;
  content_.title = QStringLiteral("Trace #%1").arg(t->number);
  if (!t->error.empty()) content_.tag = QStringLiteral("Failed"), content_.tag_tone = QStringLiteral("red");
  if (const auto* f = document_.function(t->function)) {
    link("Function", q(f->name), Selection::of_function(document_, f->id));
  }
  place("Made by", document_.place(t->source));
  if (t->end_ns > t->start_ns) {
    row("Traced in", duration_text(t->end_ns - t->start_ns));
  }
  const query::CallSums sums = document_.calls_of(t->id);
  row("Called", counted(sums.calls, "time", "times"), sums.calls <= 1 && t->number > 1 ? "amber" : "");
  per_hit([&](const explain::Comparison& c) { return c.trace == t->id; });
  if (sums.calls) row("Calls in total", duration_text(sums.total_ns));
  if (t->cached) row("Added to", counted(t->cached, "live trace", "live traces"));
  if (const session::GraphRecord* g = document_.graph(t->graph())) row("Nodes", count_text(g->nodes.size()));
  row_if("Why", q(t->why));
  if (const session::TraceRecord* near = document_.trace(t->nearest)) {
    link("Nearest", QStringLiteral("#%1  %2").arg(near->number).arg(q(near->signature)),
         Selection::of_trace(document_, near->id));
  }
  add(phases_group(*t));
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
  go("Show the graph", "graph", s_);
  go("Key against the nearest trace", "retraces", s_);
  go("Compare graphs", "diff", s_);
  go("Show generated code", "autograph", s_);
}

void Writer::node() {
  const session::NodeRecord* n = document_.node(s_.graph, s_.node);
  const session::GraphRecord* g = document_.graph(s_.graph);
  if (!n || !g) return;
  content_.title = q(n->op);
  content_.tag = q(n->family);
  content_.tag_tone = QStringLiteral("grey");
  row("Name", q(n->name));
  row("Op", q(n->op));
  for (size_t i = 0; i < n->outputs.size(); ++i) {
    row(i ? "" : n->outputs.size() > 1 ? "Outputs" : "Output", short_type(q(n->outputs[i])));
  }
  row_if("Value", q(n->constant));
  const Place where = explain::users_line(document_, *n);
  place("Source", where);
  if (const Place own = document_.place(n->source); own != where) place("Made in", own);
  for (const session::GeneratedRecord& code : document_.generated) {
    const auto lines = generated_lines_of(document_, s_, code);
    if (lines.empty()) continue;
    link("Generated", QStringLiteral("line %1").arg(lines.front()),
         Selection::of_generated(document_, code, lines.front()));
    break;
  }
  bool first = true;
  for (const session::EdgeRecord& e : n->inputs) {
    const session::NodeRecord* from = document_.node(s_.graph, e.from);
    if (!from) continue;
    QString name = q(from->name);
    if (e.output) name += QStringLiteral(":%1").arg(e.output);
    link(first ? "Inputs" : "", name, Selection::of_node(document_, s_.graph, e.from));
    first = false;
  }
  std::vector<const session::NodeRecord*> readers;
  for (const session::NodeRecord& other : g->nodes) {
    for (const session::EdgeRecord& e : other.inputs) {
      if (e.from == n->id && (readers.empty() || readers.back() != &other)) readers.push_back(&other);
    }
  }
  first = true;
  for (size_t i = 0; i < readers.size() && i < 6; ++i) {
    link(first ? "Read by" : "", q(readers[i]->name), Selection::of_node(document_, s_.graph, readers[i]->id));
    first = false;
  }
  if (readers.size() > 6) row("", QStringLiteral("and %1 more").arg(readers.size() - 6));
  for (uint32_t c : n->control_inputs) {
    if (const auto* from = document_.node(s_.graph, c))
      link("Control", q(from->name), Selection::of_node(document_, s_.graph, c));
  }
  const GradientLinks gradient = gradient_links(*g, *n);
  for (uint32_t id : gradient.gradients)
    link("Gradient", q(document_.node(s_.graph, id)->name), Selection::of_node(document_, s_.graph, id));
  for (uint32_t id : gradient.forward)
    link("Gradient of", q(document_.node(s_.graph, id)->name), Selection::of_node(document_, s_.graph, id));
  const session::TraceRecord* trace = document_.trace_of_graph(s_.graph);
  if (facts_ && facts_->ran.count) {
    row("Took", facts_->median_ns < 0 ? QString::fromUtf8("counting …")
                                      : duration_text(facts_->median_ns) + QStringLiteral(" a call"));
    row("Ran", counted(facts_->ran.count, "time", "times"));
    row("In total", duration_text(facts_->ran.total));
  }
  if (facts_ && facts_->below.count) row("With what it runs", duration_text(facts_->ran.total + facts_->below.total));
  add(passes_group(document_, *g, *n));
  add(memory_group(*g, *n));
  callers();
  if (!n->attributes.empty()) {
    group(QStringLiteral("Attributes"));
    size_t at = 0;
    while (at < n->attributes.size()) {
      size_t stop = n->attributes.find("; ", at);
      if (stop == std::string::npos) stop = n->attributes.size();
      const std::string one = n->attributes.substr(at, stop - at);
      const size_t equals = one.find('=');
      if (equals == std::string::npos) {
        row("", q(one));
      } else {
        row(one.substr(0, equals).c_str(), q(one.substr(equals + 1)));
      }
      at = stop + 2;
    }
  }
  // The same node in the function's other traces, found by its name.
  if (trace && trace->graph() == s_.graph) {
    const auto traces = document_.traces_of(trace->function);
    if (traces.size() > 1) {
      group(QStringLiteral("In the other traces"));
      size_t shown = 0;
      for (const session::TraceRecord* t : traces) {
        if (t == trace) continue;
        if (++shown > 8) {
          row("", QStringLiteral("and %1 more").arg(traces.size() - 1 - 8));
          break;
        }
        const session::GraphRecord* other = document_.graph(t->graph());
        const session::NodeRecord* same = nullptr;
        if (other) {
          for (const session::NodeRecord& m : other->nodes) {
            if (m.name == n->name) same = &m;
          }
        }
        const std::string label = "#" + std::to_string(t->number);
        if (!same) {
          row(label.c_str(), QStringLiteral("Not there"), "amber");
          continue;
        }
        if (same->outputs != n->outputs && !same->outputs.empty()) {
          row(label.c_str(), short_type(q(same->outputs.front())), "amber");
        } else if (same->constant != n->constant) {
          row(label.c_str(), q(same->constant), "amber");
        } else {
          row(label.c_str(), QStringLiteral("Same"));
        }
        InspectorRow& made = content_.groups.back().rows.back();
        made.link = true;
        made.target = Selection::of_node(document_, t->graph(), same->id);
      }
    }
  }
  source(where);
  go("Show in graph", "graph", s_);
  go("Show in timeline", "timeline", s_);
  if (const int call = call_for(document_, s_); call >= 0) {
    const auto& values = document_.values[static_cast<size_t>(call)];
    for (uint32_t k = 0; k < n->outputs.size() && k < kMaxValues; ++k)
      if (const session::TensorValue* value = value_of(*values, s_.graph, s_.node, k)) content_.values.push_back(value);
    if (!content_.values.empty()) content_.call_values = values;
    else if (values->trace == s_.trace)
      did_not_run();
  }
  if (content_.values.empty()) go("Show its values", "values", s_);
}

void Writer::line(Place where) {
  content_.title = document_.place_text(where);
  place("Line", where);
  const query::LineSum* cost = lines_ ? lines_->at(where.file, where.line) : nullptr;
  if (cost) add_cost_rows(content_.groups.back().rows, *cost);
  if (facts_ && facts_->calls) row("Traced calls", count_text(facts_->calls));
  bool converted = false;
  for (const session::GeneratedRecord& code : document_.generated) {
    if (code.file != where.file) continue;
    const auto* statement = statement_at(code, where.line);
    const auto lines = generated_lines_of(document_, s_, code);
    if (!statement && lines.empty()) continue;
    converted = true;
    if (statement && statement->line == where.line && !statement->kind.empty()) content_.title = q(statement->kind);
    if (statement && !statement->note.empty()) content_.groups.back().paragraph = q(statement->note);
    for (const CodeLine& l : function_lines(document_, code, s_.trace)) {
      if (l.number != where.line || l.fate.isEmpty()) continue;
      content_.tag = l.fate == QStringLiteral("python") ? QStringLiteral("Python") : l.fate;
      content_.tag_tone = fate_tone(l.fate.toStdString());
      row_if("Why", l.reason);
    }
    if (!lines.empty()) {
      const QString text = lines.size() == 1 ? QStringLiteral("line %1").arg(lines.front())
                                             : QString::fromUtf8("lines %1–%2").arg(lines.front()).arg(lines.back());
      link("Generated", text, Selection::of_generated(document_, code, lines.front()));
    }
    break;
  }
  for (const session::DecisionRecord& d : document_.decisions) {
    if (d.file != where.file || d.line != where.line) continue;
    if (s_.trace.valid() && d.trace != s_.trace) continue;
    row("Became", q(d.note.empty() ? d.kind : d.note)).tone = fate_tone(d.fate);
    break;
  }
  if (const session::GraphRecord* g = document_.graph(s_.graph)) {
    bool first = true;
    size_t more = 0;
    for (uint32_t id : nodes_of(document_, s_, g->id)) {
      if (++more > kMostNodes) continue;
      link(first ? "Nodes" : "", q(document_.node(g->id, id)->name), Selection::of_node(document_, g->id, id));
      first = false;
    }
    if (more > kMostNodes) row("", QStringLiteral("and %1 more").arg(more - kMostNodes));
  }
  bool first = true;
  size_t more = 0;
  for (const session::TraceRecord& t : document_.traces) {
    if (document_.place(t.source) != where) continue;
    if (++more > 6) continue;
    link(first ? "Traces made" : "", QStringLiteral("#%1  %2").arg(t.number).arg(q(t.signature)),
         Selection::of_trace(document_, t.id));
    first = false;
  }
  if (more > 6) row("", QStringLiteral("and %1 more").arg(more - 6));
  // Known at once; the sums of all lines come later.
  if (!cost && facts_ && facts_->ran.count)
    row("Eager ops", count_text(facts_->ran.count) + QStringLiteral("  ") + duration_text(facts_->ran.total));
  add(ways_group(document_, where, s_.trace));
  callers();
  const QString whole = document_.line_text(where).trimmed();
  if (whole.size() > kLongLine) {
    group(QStringLiteral("Whole line"));
    content_.groups.back().paragraph = whole;
  }
  source(where);
  if (!nodes_of(document_, s_, s_.graph).empty()) go("Show in graph", "graph", s_);
  if (cost && (cost->eager_ops || cost->traced_ops || cost->calls)) go("Show in the timeline", "timeline", s_);
  if (converted) go("Show generated code", "autograph", s_);
  go("Show source", "source", s_);
  go("Open in editor", "editor", s_);
}

void Writer::call() {
  if (!facts_ || !facts_->call) return;
  const session::CallRecord& c = *facts_->call;
  content_.title = QStringLiteral("Call %1").arg(facts_->call_position + 1);
  static const std::pair<const char*, const char*> outcomes[] = {
      {"Hit", "teal"}, {"Traced", "amber"}, {"Eager", "blue"}, {"Failed", "red"}};
  const auto& [word, tone] = outcomes[static_cast<size_t>(c.outcome) & 3];
  content_.tag = QLatin1String(word);
  content_.tag_tone = QLatin1String(tone);
  if (const auto* f = document_.function(c.function))
    link("Function", q(f->name), Selection::of_function(document_, f->id));
  if (const auto* t = document_.trace(c.trace)) {
    link("Trace", QStringLiteral("#%1  %2").arg(t->number).arg(q(t->signature)), Selection::of_trace(document_, t->id));
  }
  place("Source", document_.place(c.source));
  row("Start", duration_text(c.start_ns - document_.origin_ns()));
  row("Took", duration_text(c.end_ns - c.start_ns));
  row("Thread", QString::number(c.thread.value));
  if (facts_->ran.count)
    row("Op events", count_text(facts_->ran.count) + QStringLiteral("  ") + duration_text(facts_->ran.total));
  callers();
  source(document_.place(c.source));
  if (c.trace.valid()) {
    go("Show the graph", "graph", Selection::of_trace(document_, c.trace));
    go("Why it was traced", "retraces", Selection::of_trace(document_, c.trace));
  }
}

void Writer::event() {
  if (!facts_ || !facts_->op) return;
  const query::OpRow& e = *facts_->op;
  const OpInfo& op = document_.op(e.op);
  content_.title = q(op.name);
  content_.tag = e.node.valid() ? QStringLiteral("Traced") : QStringLiteral("Eager");
  content_.tag_tone = e.node.valid() ? QStringLiteral("violet") : QStringLiteral("blue");
  if (const session::NodeRecord* n = document_.node(s_.graph, e.node.value); n && e.node.valid()) {
    link("Node", q(n->name), Selection::of_node(document_, s_.graph, n->id));
  }
  const Place where = place_of(document_, s_);
  place("Source", where);
  if (facts_->call) {
    const auto* t = document_.trace(facts_->call->trace);
    link("Call", t ? QStringLiteral("of trace #%1").arg(t->number) : QStringLiteral("of a function"),
         Selection::of_call(document_, *facts_->call));
  }
  row("Start", duration_text(e.start_ns - document_.origin_ns()));
  // What a device does for an op goes on when its launch is over.
  const bool on_device = e.device.value > 0;
  int64_t took = e.end_ns - e.start_ns, kernels = 0;
  for (const query::DeviceRow& d : facts_->caused)
    if (d.record.kind == "kernel") kernels += d.record.end_ns - d.record.start_ns;
  row(on_device ? "Launch took" : "Took", duration_text(took));
  if (on_device) took = kernels;
  if (on_device && kernels) row("Kernels took", duration_text(kernels));
  if (const session::SignatureRecord* on = document_.signature(e.signature)) {
    row_if("Inputs", q(on->inputs));
    row_if("Outputs", q(on->outputs));
    row("Bytes", bytes_text(on->input_bytes) + QStringLiteral(" in, ") + bytes_text(on->output_bytes) +
                     QStringLiteral(" out"));
    if (on->flops) row("FLOPs", count_text(on->flops));
    if (on->flops && took > 0) row("GFLOP/s", rate_text(on->flops, took));
  } else if (e.bytes) {
    row("Bytes", bytes_text(e.bytes));
  }
  if (e.device.value < document_.device_names.size()) row_if("On", q(document_.device_names[e.device.value]));
  row("Thread", QString::number(e.thread.value));
  bool first = true;
  for (const query::DeviceRow& d : facts_->caused) {
    link(first ? "Caused" : "", q(d.record.name), Selection::of_device(d.row));
    first = false;
  }
  if (!facts_->histogram.empty()) {
    content_.histogram = facts_->histogram;
    content_.histogram_title = QStringLiteral("All %1 in this run").arg(q(op.name));
    content_.histogram_tone = q(op.family);
    content_.histogram_least = facts_->op_sums.min;
    content_.histogram_most = facts_->op_sums.max;
  }
  source(where);
}

void Writer::device() {
  if (!facts_ || !facts_->device) return;
  const session::DeviceRecord& d = facts_->device->record;
  content_.title = q(d.name);
  content_.tag = q(d.kind);
  content_.tag_tone = QStringLiteral("grey");
  row("On", QStringLiteral("GPU %1, stream %2").arg(d.device).arg(d.stream));
  row("Start", duration_text(d.start_ns - document_.origin_ns()));
  row("Took", duration_text(d.end_ns - d.start_ns));
  if (d.bytes) row("Bytes", bytes_text(d.bytes));
  if (d.bytes && d.end_ns > d.start_ns)
    row("Rate", bytes_text(static_cast<uint64_t>(static_cast<double>(d.bytes) * 1e9 /
                                                 static_cast<double>(d.end_ns - d.start_ns))) +
                    QStringLiteral("/s"));
  for (const query::DeviceSum& sum : facts_->device_sums)
    row("All of this name", device_sum_text(sum));
  if (d.correlation) row("Correlation", QString::number(d.correlation));
  if (facts_->cause) {
    const query::OpRow& e = *facts_->cause;
    const Selection cause =
        Selection::of_event(document_, e, facts_->cause_call ? &*facts_->cause_call : nullptr);
    link("Caused by", q(document_.op(e.op).name), cause);
    row("After op", duration_text(d.start_ns - e.start_ns));
    source(place_of(document_, cause));
  }
}

InspectorContent Writer::write() {
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

}  // namespace

InspectorContent inspect(const Document& document, const Selection& selection, const SelectionFacts* facts,
                         const query::LineSums* lines) {
  return Writer(document, selection, facts && facts->of == selection ? facts : nullptr, lines).write();
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
      text += QStringLiteral("- ") + (r.label.isEmpty() ? QString() : markdown_words(r.label) + QStringLiteral(": ")) +
              markdown_code(r.value) + QLatin1Char('\n');
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
