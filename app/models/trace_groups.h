// Groups the traces of a function: by the leaves in which they differ from their nearest, or by the calling line; with
// the costs of each group.
#pragma once

#include "app/models/document.h"
#include "app/models/table_model.h"

#include <set>
#include <utility>

namespace footlight::app {

struct TraceGroup {
  QString name;                 // "args[1] lr", "retracing.py:69"
  QString note;                 // "0.1 → 0.05 → … → 0.0167", the text of the line
  SourcePlace place;                  // place of the call; none if traces are grouped by differences
  std::vector<TraceId> traces;  // traces of the group, sorted
  std::vector<uint64_t> sources;  // places of the calls, as query::key_of; sorted
  uint64_t calls = 0, hits = 0, eager = 0, failed = 0;
  int64_t trace_ns = 0;         // the making of its traces
  int64_t run_ns = 0;           // its calls without that
};

using CallSites = std::vector<std::pair<SourceRef, query::CallSums>>;

// Most tracing time first.
std::vector<TraceGroup> groups_by_difference(const Document& document, FunctionId function);
std::vector<TraceGroup> groups_by_call_line(const Document& document, FunctionId function, const CallSites& sites);

class TraceGroupsModel : public TableOf<TraceGroup> {
 public:
  explicit TraceGroupsModel(QObject* parent = nullptr);

  // `heading`: of the column of names. `kept`: rows with the same names are kept selected by their views.
  void set_groups(const QString& heading, const QString& note_heading, std::vector<TraceGroup> groups);
  std::span<const TraceGroup> rows() const override { return groups_; }
  int row_named(const QString& name) const;  // -1 if no row has the name

 private:
  std::vector<TraceGroup> groups_;
};

}  // namespace footlight::app
