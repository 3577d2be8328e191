// Fills the trace table and the strip of calls.
#include "app/models/traces_model.h"

#include "app/models/keys.h"
#include "app/models/run_end.h"
#include "app/models/trace_counts.h"

#include "engine/explain/report.h"
#include "engine/session/nothing_ran.h"
#include "engine/session/run_times.h"

#include <algorithm>
#include <set>

namespace footlight::app {
namespace {
constexpr size_t kParameterColumns = 7;
}  // namespace

QString reason_text(const session::TraceRecord& t) {
  constexpr qsizetype kMaxError = 90;  // so that its place is in view
  if (!t.error.empty()) return shortened(error_line(t.error), kMaxError);
  return beginning_of(q(explain::trace_reason(t)), kMaxShownCell);
}

TracesModel::TracesModel(QObject* parent) : TableModel(parent) {
  text_order_ = TextOrder::kAnyCase;
  spoken_ = Spoken::kHeadingAndCell;
  tips_ = true;
  take({}, {});
}

void TracesModel::take(std::vector<std::string> parameters, std::vector<Row> rows) {
  reset([&] {
    parameters_ = std::move(parameters);
    rows_ = std::move(rows);
    columns_.clear();
    add_column<Row>({.name = "Trace", .text = [](const Row& row) { return QStringLiteral("#%1").arg(row.number); },
                     .key = &Row::number});
    for (size_t i = 0; i < parameters_.size(); ++i)
      add_column<Row>({.name = q(parameters_[i]), .text = [i](const Row& row) { return row.parameters[i].text; },
                       .key = [i](const Row& row) { return row.parameters[i].order; }});
    add_column<Row>({.name = "Nodes", .value = &Row::nodes, .unit = Unit::kNumber});
    add_column<Row>({.name = "Calls", .value = &Row::calls, .unit = Unit::kNumber});
    add_column<Row>({.name = "Tracing",
                     .value = [](const Row& row) {
                       return row.tracing_ns > 0 ? Cell(row.tracing_ns) : Cell(QStringLiteral("–"));
                     },
                     .unit = Unit::kTime, .key = &Row::tracing_ns});
    add_column<Row>({.name = "Why", .value = &Row::why, .is_prose = [](const Row&) { return true; }});
  });
}

std::vector<TracesModel::Row> TracesModel::make_rows(std::vector<std::string>& parameters) const {
  std::vector<Row> rows;
  parameters.clear();
  if (!document_) return rows;
  const auto traces = document_->traces_of(function_);
  if (const session::FunctionRecord* f = document_->function(function_)) parameters = f->parameters;
  std::set<std::string> known(parameters.begin(), parameters.end()), ever;
  std::vector<std::set<std::string>> differing;
  for (const session::TraceRecord* t : traces) {
    differing.push_back(t->nearest.valid() ? differing_parameters(*t) : std::set<std::string>());
    ever.insert(differing.back().begin(), differing.back().end());
    // Leaves other than the definition's parameters get a column only if they differ.
    for (const session::KeyLeaf& leaf : t->key) {
      if (!leaf.parameter.empty() && differing.back().contains(leaf.parameter) && known.insert(leaf.parameter).second)
        parameters.push_back(leaf.parameter);
    }
  }
  // If there are many parameters, only those that differ somewhere get a column.
  if (parameters.size() > kParameterColumns) {
    std::stable_partition(parameters.begin(), parameters.end(), [&](const std::string& p) { return ever.contains(p); });
    parameters.resize(kParameterColumns);
  }
  for (size_t i = 0; i < traces.size(); ++i) rows.push_back(make_row(*traces[i], parameters, differing[i]));
  return rows;
}

TracesModel::Row TracesModel::make_row(const session::TraceRecord& t, const std::vector<std::string>& parameters,
                                       const std::set<std::string>& differing) const {
  Row row;
  row.id = t.id;
  row.number = t.number;
  row.failed = !t.error.empty();
  for (const std::string& p : parameters) {
    const QString text = parameter_cell(t, p);
    const std::optional<double> number = parameter_number(t, p);
    row.parameters.push_back({text, number ? Cell(*number) : Cell(text), differing.contains(p)});
  }
  const session::GraphRecord* g = document_->graph(t.graph());
  row.nodes = g ? Cell(g->nodes.size()) : Cell(QStringLiteral("–"));
  row.calls = document_->calls_of(t.id).calls;
  row.tracing_ns = t.end_ns - t.start_ns;
  row.ended = row.tracing_ns > 0 && g;
  row.why = reason_of(t);
  return row;
}

QString TracesModel::reason_of(const session::TraceRecord& t) const {
  const auto found = reasons_.find(t.id);
  return found == reasons_.end() || !t.error.empty() ? reason_text(t) : beginning_of(q(found->second), kMaxShownCell);
}

// Tells views that the first `rows` rows changed, and all of them if the unit of times changed with these.
void TracesModel::say_changed(int rows) {
  const int time = columnCount() - 2;  // "Tracing", which may also be the name of a parameter
  const ColumnUnit before = unit(time);
  choose_units();
  if (unit(time) != before) {
    Q_EMIT headerDataChanged(Qt::Horizontal, time, time);
    rows = rowCount();
  }
  if (rows > 0) Q_EMIT dataChanged(index(0, 0), index(rows - 1, columnCount() - 1));
}

void TracesModel::insert_rows(std::vector<Row> more) {
  if (more.empty()) return;
  beginInsertRows({}, rowCount(), rowCount() + static_cast<int>(more.size()) - 1);
  rows_.insert(rows_.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  arrange();
  endInsertRows();
}

// Keeps existing rows while a run goes on, except for their calls. False: a column would come or go.
bool TracesModel::append_rows() {
  const auto traces = document_->traces_of(function_);
  if (traces.size() < rows_.size() || parameters_.size() >= kParameterColumns) return false;
  for (size_t i = 0; i < rows_.size(); ++i)
    if (traces[i]->id != rows_[i].id) return false;
  const std::set<std::string> known(parameters_.begin(), parameters_.end());
  std::vector<Row> more;
  for (size_t i = 0; i < traces.size(); ++i) {
    const session::TraceRecord& t = *traces[i];
    if (i < rows_.size() && rows_[i].ended) {
      rows_[i].calls = document_->calls_of(t.id).calls;
      continue;
    }
    const auto differing = t.nearest.valid() ? differing_parameters(t) : std::set<std::string>();
    for (const std::string& parameter : differing)
      if (!parameter.empty() && !known.contains(parameter)) return false;
    if (i < rows_.size()) rows_[i] = make_row(t, parameters_, differing);
    else more.push_back(make_row(t, parameters_, differing));
  }
  const int before = rowCount();
  insert_rows(std::move(more));
  say_changed(before);
  return true;
}

void TracesModel::set_function(const Document* document, FunctionId function) {
  document_ = document;
  function_ = function;
  std::vector<std::string> parameters;
  std::vector<Row> rows = make_rows(parameters);
  take(std::move(parameters), std::move(rows));
}

void TracesModel::set_reasons(std::map<TraceId, std::string> reasons) {
  if (reasons == reasons_) return;
  reasons_ = std::move(reasons);
  for (Row& row : rows_)
    if (const session::TraceRecord* t = document_->trace(row.id)) row.why = reason_of(*t);
  say_changed(rowCount());
}

void TracesModel::refresh() {
  if (document_ && append_rows()) return;
  std::vector<std::string> parameters;
  std::vector<Row> rows = make_rows(parameters);
  if (parameters != parameters_ || rows.size() < rows_.size()) return take(std::move(parameters), std::move(rows));
  const auto added = rows.begin() + static_cast<ptrdiff_t>(rows_.size());
  std::vector<Row> more(std::make_move_iterator(added), std::make_move_iterator(rows.end()));
  rows.erase(added, rows.end());
  rows_ = std::move(rows);
  const int before = rowCount();
  insert_rows(std::move(more));
  say_changed(before);
}

TraceId TracesModel::trace_at(int row) const {
  return row >= 0 && static_cast<size_t>(row) < rows_.size() ? rows_[static_cast<size_t>(row)].id : TraceId{};
}

int TracesModel::row_of(TraceId id) const {
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].id == id) return static_cast<int>(i);
  }
  return -1;
}

QVariant TracesModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || (role != kDiffers && role != kTraceId && role != kFailed))
    return TableModel::data(index, role);
  const Row& row = rows_[static_cast<size_t>(index.row())];
  if (role == kTraceId) return row.id.value;
  if (role == kFailed) return row.failed && index.column() == columnCount() - 1;
  const auto parameter = static_cast<size_t>(index.column()) - 1;
  return parameter < row.parameters.size() && row.parameters[parameter].differs;
}

SortedRows::SortedRows(TableModel* rows, QObject* parent) : QSortFilterProxyModel(parent), rows_(rows) {
  setSourceModel(rows);
}

void SortedRows::set_filter(const QString& text) {
  words_ = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  invalidateFilter();
}

bool SortedRows::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  return rows_->is_less(left.row(), right.row(), left.column());
}

bool SortedRows::filterAcceptsRow(int row, const QModelIndex&) const {
  return std::all_of(words_.begin(), words_.end(), [&](const QString& word) {
    for (int c = 0; c < sourceModel()->columnCount(); ++c)
      if (sourceModel()->index(row, c).data().toString().contains(word, Qt::CaseInsensitive)) return true;
    return false;
  });
}

SortedTraces::SortedTraces(TracesModel* traces, QObject* parent) : SortedRows(traces, parent), traces_(traces) {}

void SortedTraces::set_only(std::vector<TraceId> traces) {
  only_ = std::move(traces);
  invalidateFilter();
}

TraceId SortedTraces::trace_at(int row) const { return traces_->trace_at(mapToSource(index(row, 0)).row()); }

int SortedTraces::row_of(TraceId id) const {
  const int row = traces_->row_of(id);
  return row < 0 ? -1 : mapFromSource(traces_->index(row, 0)).row();
}

bool SortedTraces::filterAcceptsRow(int row, const QModelIndex& parent) const {
  if (!only_.empty() && !std::binary_search(only_.begin(), only_.end(), traces_->trace_at(row))) return false;
  return SortedRows::filterAcceptsRow(row, parent);
}

std::vector<StripCell> call_strip(const Document& document, const std::vector<query::CallRun>& runs) {
  std::vector<StripCell> cells;
  cells.reserve(runs.size());
  for (const query::CallRun& run : runs) {
    StripCell cell;
    cell.first = run.first;
    cell.count = run.count;
    cell.chosen = run.chosen;
    cell.trace = run.trace;
    if (const session::TraceRecord* t = document.trace(run.trace)) cell.number = t->number;
    switch (run.outcome) {
      case CallOutcome::kTrace: cell.kind = StripCell::Kind::kTrace; break;
      case CallOutcome::kHit: cell.kind = StripCell::Kind::kHits; break;
      case CallOutcome::kEager: cell.kind = StripCell::Kind::kEager; break;
      case CallOutcome::kFailed: cell.kind = StripCell::Kind::kFailed; break;
      default: break;
    }
    cells.push_back(cell);
  }
  return cells;
}

QString calls_summary(const Document& document, FunctionId function) {
  const query::CallSums sums = document.calls_of(function);
  if (session::nothing_ran(document.run.engine))
    return counted(document.traces_of(function).size(), "graph", "graphs") + QStringLiteral(" in ") +
           QLatin1String(session::source_of_graphs(document.run.engine));
  TraceCounts counts;
  uint64_t creating = 0;
  std::vector<const session::TraceRecord*> in_calls, requested;
  for (const session::TraceRecord& t : document.traces) {
    if (t.function != function) continue;
    counts.add(t);
    creating += t.error.empty() && t.reason == session::TraceReason::kVariableCreation;
    (t.reason == session::TraceReason::kGetConcreteFunction ? requested : in_calls).push_back(&t);
  }
  const int64_t tracing = session::tracing_time(in_calls), outside = session::tracing_time(requested);
  QString text = counted(sums.calls, "call", "calls");
  const QString dot = QString::fromUtf8(" · ");
  if (sums.hits) text += dot + counted(sums.hits, "hit", "hits");
  // A call that failed after its trace was made counts as failed, so there may be more traces than calls that traced.
  if (sums.traced && sums.traced != counts.traces)
    text += dot + QStringLiteral("%1 that traced").arg(count_text(sums.traced));
  if (sums.eager) text += dot + counted(sums.eager, "eager", "eager");
  if (sums.failed) text += dot + counted(sums.failed, "failed", "failed");
  text += dot + counted(counts.traces, "trace", "traces");
  if (creating) text += QStringLiteral(", %1 of them to create variables").arg(count_text(creating));
  if (counts.failed) text += dot + counted(counts.failed, "failed trace", "failed traces");
  if (tracing > 0 && sums.total_ns > 0) {
    text += dot + QStringLiteral("tracing took %1 of the %2 in calls")
                      .arg(duration_text(tracing), duration_text(std::max(sums.total_ns, tracing)));
  }
  if (outside > 0) text += dot + QStringLiteral("tracing outside of calls took %1").arg(duration_text(outside));
  return text;
}

}  // namespace footlight::app
