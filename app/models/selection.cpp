// Selections, what they correspond to in the other views, and their history.
#include "app/models/selection.h"

#include "app/models/function_groups.h"

#include "engine/session/users_line.h"

#include <algorithm>

namespace footlight::app {
namespace {

constexpr size_t kHistory = 200;

// The function whose generated code holds the line, or that is defined there. A library's functions stand at the line
// that calls the library, and are not what a person means by that line.
FunctionId function_at(const Document& document, SourcePlace place) {
  FunctionId best;
  int best_line = 0;
  for (const session::GeneratedRecord& g : document.generated) {
    if (g.file != place.file || g.statements.empty()) continue;
    for (const auto& statement : g.statements) {
      if (statement.line <= place.line && place.line <= std::max(statement.line, statement.last_line)) {
        return g.function;
      }
    }
  }
  for (const session::FunctionRecord& f : document.functions) {
    if (f.file != place.file || (f.line != place.line && f.decorator_line != place.line)) continue;
    if (is_of_library(document, f)) continue;
    if (f.line == place.line) return f.id;
    if (f.decorator_line == place.line) {
      best = f.id;
      best_line = f.decorator_line;
    }
  }
  return best_line ? best : FunctionId{};
}

}  // namespace

Selection Selection::of_function(const Document& document, FunctionId id) {
  Selection s;
  s.kind = Kind::kFunction;
  s.function = id;
  const auto traces = document.traces_of(id);
  if (!traces.empty()) {
    s.trace = traces.front()->id;
    s.graph = traces.front()->graph();
  }
  return s;
}

Selection Selection::of_trace(const Document& document, TraceId id) {
  Selection s;
  s.kind = Kind::kTrace;
  s.trace = id;
  if (const session::TraceRecord* t = document.trace(id)) {
    s.function = t->function;
    s.graph = t->graph();
  }
  return s;
}

Selection Selection::of_node(const Document& document, GraphId graph, uint32_t node) {
  Selection s;
  s.kind = Kind::kNode;
  s.graph = graph;
  s.node = node;
  if (const session::TraceRecord* t = document.trace_of_graph(graph)) {
    s.trace = t->id;
    s.function = t->function;
  }
  return s;
}

Selection Selection::of_line(const Document& document, SourcePlace place) {
  Selection s;
  s.kind = Kind::kLine;
  s.place = place;
  s.function = function_at(document, place);
  return s;
}

Selection Selection::of_generated(const Document& document, const session::GeneratedRecord& code, int line) {
  (void)document;
  Selection s;
  s.kind = Kind::kGenerated;
  s.function = code.function;
  s.generated_code = code.code;
  s.generated_line = line;
  if (line >= 1 && static_cast<size_t>(line) <= code.line_map.size()) {
    s.place = {code.file, code.line_map[static_cast<size_t>(line) - 1]};
  }
  return s;
}

Selection Selection::of_event(const Document& document, const query::OpEventRow& op,
                              const session::CallRecord* record) {
  Selection s;
  s.kind = Kind::kEvent;
  s.row = op.row;
  s.call = op.call;
  if (record) s.take_call(document, *record);
  s.node = op.node.value;
  if (op.graph.valid()) {
    s.graph = op.graph;
    const session::TraceRecord* t = s.trace.valid() ? nullptr : document.trace_of_graph(op.graph);
    if (t) s.trace = t->id, s.function = t->function;
  }
  s.place = document.place(op.source);
  return s;
}

Selection Selection::of_call(const Document& document, const session::CallRecord& record) {
  Selection s;
  s.kind = Kind::kCall;
  s.take_call(document, record);
  s.place = document.place(record.source);
  return s;
}

void Selection::take_call(const Document& document, const session::CallRecord& record) {
  call = record.id;
  function = record.function;
  trace = record.trace;
  if (const session::TraceRecord* traced = document.trace(trace)) graph = traced->graph();
}

Selection Selection::of_device(uint64_t row) {
  Selection s;
  s.kind = Kind::kDevice;
  s.row = row;
  return s;
}

SourcePlace place_of(const Document& document, const Selection& s) {
  using Kind = Selection::Kind;
  switch (s.kind) {
    case Kind::kFunction:
      if (const session::FunctionRecord* f = document.function(s.function)) return {f->file, f->line};
      return {};
    case Kind::kTrace:
      if (const session::TraceRecord* t = document.trace(s.trace)) return document.place(t->source);
      return {};
    case Kind::kNode:
      if (const session::NodeRecord* n = document.node(s.graph, s.node)) return session::users_line(document, *n);
      return {};
    case Kind::kLine:
    case Kind::kGenerated:
    case Kind::kCall:
      return s.place;
    case Kind::kEvent:
      if (const session::NodeRecord* n = document.node(s.graph, s.node)) {
        if (const SourcePlace place = session::users_line(document, *n)) return place;
      }
      return s.place;
    default:
      return {};
  }
}

std::vector<uint32_t> nodes_of(const Document& document, const Selection& s, GraphId graph) {
  std::vector<uint32_t> found;
  if (s.kind == Selection::Kind::kNode || s.kind == Selection::Kind::kEvent) {
    if (s.graph == graph && document.node(graph, s.node)) found.push_back(s.node);
    return found;
  }
  if (s.kind != Selection::Kind::kLine && s.kind != Selection::Kind::kGenerated) return found;
  const session::GraphRecord* g = document.graph(graph);
  if (!g || !s.place) return found;
  for (const session::NodeRecord& node : g->nodes) {
    if (document.place(node.source) == s.place) found.push_back(node.id);
  }
  return found;
}

std::vector<int> generated_lines_of(const Document& document, const Selection& s,
                                    const session::GeneratedRecord& code) {
  std::vector<int> found;
  if (s.kind == Selection::Kind::kGenerated && s.generated_code == code.code && !s.place) {
    found.push_back(s.generated_line);
    return found;
  }
  const SourcePlace place = place_of(document, s);
  if (!place || place.file != code.file) return found;
  // A compound statement stands for all of its generated code only if its own first line is selected.
  for (size_t i = 0; i < code.line_map.size(); ++i) {
    if (code.line_map[i] == place.line) found.push_back(static_cast<int>(i) + 1);
  }
  return found;
}

void SelectionModel::select(const Selection& selection, const QObject* from) {
  Selection next = selection;
  // A line or an eager event belongs to no trace: keep the current one.
  if (!next.trace.valid() && next.kind != Selection::Kind::kNothing && next.kind != Selection::Kind::kRun &&
      next.kind != Selection::Kind::kFunction) {
    if (!next.function.valid() || next.function == current_.function) {
      next.function = current_.function;
      next.trace = current_.trace;
      if (!next.graph.valid()) next.graph = current_.graph;
    }
  }
  if (next == current_) return;
  current_ = next;
  source_ = from;
  if (!history_.empty()) history_.resize(at_ + 1);
  history_.push_back(next);
  if (history_.size() > kHistory) history_.erase(history_.begin());
  at_ = history_.size() - 1;
  Q_EMIT changed();
  Q_EMIT history_changed();
}

void SelectionModel::clear() {
  current_ = {};
  history_.clear();
  at_ = 0;
  source_ = nullptr;
  Q_EMIT changed();
  Q_EMIT history_changed();
}

void SelectionModel::back() {
  if (!can_go_back()) return;
  current_ = history_[--at_];
  source_ = nullptr;
  Q_EMIT changed();
  Q_EMIT history_changed();
}

void SelectionModel::forward() {
  if (!can_go_forward()) return;
  current_ = history_[++at_];
  source_ = nullptr;
  Q_EMIT changed();
  Q_EMIT history_changed();
}

}  // namespace footlight::app
