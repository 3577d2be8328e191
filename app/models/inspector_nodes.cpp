// The inspector's contents for a node and for a line.
#include "app/models/inspector_writer.h"
#include "app/models/run_end.h"
#include "app/models/values.h"

#include "engine/session/users_line.h"

#include <algorithm>

namespace footlight::app {
namespace {

constexpr size_t kMaxNodes = 5;    // nodes of one line
constexpr qsizetype kLongLine = 60;
constexpr uint32_t kMaxValues = 4;  // values of a node with many outputs

}  // namespace

void InspectorWriter::node() {
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
  const SourcePlace where = session::users_line(document_, *n);
  place("Source", where);
  if (const SourcePlace own = document_.place(n->source); own != where) place("Made in", own);
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
  if (readers.size() > 6) row("", QStringLiteral("and %1 more").arg(count_text(readers.size() - 6)));
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
    const QString median = facts_->median_ns < 0 ? QString() : duration_text(facts_->median_ns);
    row("Took", median.isEmpty()              ? QString::fromUtf8("counting …")
                : facts_->ran.count == 1 ? median
                                         : median + QStringLiteral(" a run, the median"));
    row("Ran", counted(facts_->ran.count, "time", "times"));
    row("In total", duration_text(facts_->ran.total));
  }
  if (facts_ && facts_->below.count)
    row("Including what it calls", duration_text(facts_->ran.total + facts_->below.total));
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
          row("", QStringLiteral("and %1 more").arg(count_text(traces.size() - 1 - 8)));
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

void InspectorWriter::line(SourcePlace where) {
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
    row("Became", q(d.note.empty() ? d.kind : readable_note(d.note))).tone = fate_tone(d.fate);
    break;
  }
  if (const session::GraphRecord* g = document_.graph(s_.graph)) {
    bool first = true;
    size_t more = 0;
    for (uint32_t id : nodes_of(document_, s_, g->id)) {
      if (++more > kMaxNodes) continue;
      link(first ? "Nodes" : "", q(document_.node(g->id, id)->name), Selection::of_node(document_, g->id, id));
      first = false;
    }
    if (more > kMaxNodes) row("", QStringLiteral("and %1 more").arg(count_text(more - kMaxNodes)));
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
  if (more > 6) row("", QStringLiteral("and %1 more").arg(count_text(more - 6)));
  // Known at once; the sums of all lines come later.
  if (!cost && facts_ && facts_->ran.count)
    row("Ops outside graphs", count_text(facts_->ran.count) + QStringLiteral("  ") + duration_text(facts_->ran.total));
  add(ways_group(document_, where, s_.trace));
  std::vector<CallerFrame> failed;
  if (where == run_end(document_).place) failed = stack_of_end(document_);
  if (failed.size() > 1) {
    InspectorGroup stack = callers_group(document_, failed);
    stack.title = QStringLiteral("Called from, when the script failed");
    add(std::move(stack));
  } else {
    callers();
  }
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

}  // namespace footlight::app
