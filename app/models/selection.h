// The one selection of the window, with its history. Views show a node, a line, a trace or an event each in its own
// way, so a selection always has the function and the trace in which it is shown.
#pragma once

#include "app/models/document.h"

#include "engine/query/store.h"

#include <QObject>

#include <vector>

namespace footlight::app {

struct Selection {
  enum class Kind { kNothing, kRun, kFunction, kTrace, kNode, kLine, kGenerated, kEvent, kCall, kDevice };
  Kind kind = Kind::kNothing;
  FunctionId function;
  TraceId trace;
  GraphId graph;
  uint32_t node = UINT32_MAX;
  SourcePlace place;             // kLine, kCall; kEvent: of an eager op
  int generated_line = 0;  // kGenerated, from 1
  CodeId generated_code;   // kGenerated: which piece of generated code
  uint64_t row = 0;        // kEvent, kDevice: in the store
  CallId call;             // kCall, kEvent

  friend bool operator==(const Selection&, const Selection&) = default;

  static Selection of_function(const Document& document, FunctionId id);
  static Selection of_trace(const Document& document, TraceId id);
  static Selection of_node(const Document& document, GraphId graph, uint32_t node);
  static Selection of_line(const Document& document, SourcePlace place);
  static Selection of_generated(const Document& document, const session::GeneratedRecord& code, int line);
  // `call`: the one that ran it; null if none or unknown.
  static Selection of_event(const Document& document, const query::OpEventRow& op, const session::CallRecord* call);
  static Selection of_call(const Document& document, const session::CallRecord& call);
  static Selection of_device(uint64_t row);

 private:
  void take_call(const Document& document, const session::CallRecord& record);  // and the function and trace called
};

// The counterpart of the selection in the other views.
SourcePlace place_of(const Document& document, const Selection& selection);
std::vector<uint32_t> nodes_of(const Document& document, const Selection& selection, GraphId graph);
// Generated lines (from 1) in `code` that stand for the selection.
std::vector<int> generated_lines_of(const Document& document, const Selection& selection,
                                    const session::GeneratedRecord& code);

class SelectionModel : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  const Selection& current() const { return current_; }
  // `from` names the view that selects, so that it can ignore its own change.
  void select(const Selection& selection, const QObject* from = nullptr);
  // Changes the function or trace, and keeps the kind of the selection.
  void clear();
  bool can_go_back() const { return at_ > 0; }
  bool can_go_forward() const { return at_ + 1 < history_.size(); }
  void back();
  void forward();
  const QObject* source() const { return source_; }

 Q_SIGNALS:
  void changed();
  void history_changed();

 private:
  Selection current_;
  std::vector<Selection> history_;
  size_t at_ = 0;
  const QObject* source_ = nullptr;
};

}  // namespace footlight::app
