// Fills the trace table and the strip of calls.
#include "app/models/traces_model.h"

#include "app/models/keys.h"
#include "app/models/run_end.h"
#include "app/models/text.h"
#include "app/models/trace_counts.h"

#include "engine/explain/report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace footlight::app {
namespace {
constexpr size_t kParameterColumns = 7;
constexpr int kFixedAfter = 4;  // nodes, calls, tracing time, why

double number_in(const QString& text) {
  bool is_one = false;
  const double number = text.toDouble(&is_one);
  return is_one ? number : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

QString reason_text(const session::TraceRecord& t) {
  constexpr qsizetype kMaxError = 90;  // so that its place is in view
  if (!t.error.empty()) return shortened(error_line(t.error), kMaxError);
  return beginning_of(q(explain::trace_reason(t)), kMaxShownCell);
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
  row.failed = !t.error.empty();
  row.ended = t.end_ns > t.start_ns;
  row.cells << QStringLiteral("#%1").arg(t.number);
  row.differs.push_back(false);
  for (const std::string& p : parameters) {
    row.cells << parameter_cell(t, p);
    row.differs.push_back(differing.contains(p));
  }
  const session::GraphRecord* g = document_->graph(t.graph());
  row.ended = row.ended && g;
  row.cells << (g ? QString::number(g->nodes.size()) : QStringLiteral("–"));
  row.cells << QString::number(document_->calls_of(t.id).calls);
  row.cells << (t.end_ns > t.start_ns ? QString() : QStringLiteral("–"));  // data() knows the unit
  row.cells << reason_of(t);
  for (const QString& cell : row.cells) row.numbers.push_back(number_in(cell));
  row.numbers.front() = t.number;
  row.numbers[row.numbers.size() - 2] = static_cast<double>(t.end_ns - t.start_ns);
  return row;
}

QString TracesModel::reason_of(const session::TraceRecord& t) const {
  const auto found = reasons_.find(t.id);
  return found == reasons_.end() || !t.error.empty() ? reason_text(t) : beginning_of(q(found->second), kMaxShownCell);
}

void TracesModel::choose_unit() {
  std::vector<int64_t> times;
  for (const Row& row : rows_) times.push_back(static_cast<int64_t>(row.numbers[row.numbers.size() - 2]));
  const ColumnUnit now = time_unit(times);
  if (now == unit_) return;
  unit_ = now;
  const int column = static_cast<int>(parameters_.size()) + 3;
  Q_EMIT headerDataChanged(Qt::Horizontal, column, column);
  if (!rows_.empty()) Q_EMIT dataChanged(index(0, column), index(static_cast<int>(rows_.size()) - 1, column));
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
      const uint64_t calls = document_->calls_of(t.id).calls;
      const auto column = static_cast<qsizetype>(parameters_.size()) + 2;
      rows_[i].cells[column] = QString::number(calls);
      rows_[i].numbers[static_cast<size_t>(column)] = static_cast<double>(calls);
      continue;
    }
    const auto differing = t.nearest.valid() ? differing_parameters(t) : std::set<std::string>();
    for (const std::string& parameter : differing)
      if (!parameter.empty() && !known.contains(parameter)) return false;
    if (i < rows_.size()) rows_[i] = make_row(t, parameters_, differing);
    else more.push_back(make_row(t, parameters_, differing));
  }
  const int before = static_cast<int>(rows_.size());
  if (!more.empty()) {
    beginInsertRows({}, before, before + static_cast<int>(more.size()) - 1);
    rows_.insert(rows_.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    endInsertRows();
  }
  if (before) Q_EMIT dataChanged(index(0, 0), index(before - 1, columnCount() - 1));
  return true;
}

void TracesModel::set_function(const Document* document, FunctionId function) {
  beginResetModel();
  document_ = document;
  function_ = function;
  rows_ = make_rows(parameters_);
  endResetModel();
  choose_unit();
}

void TracesModel::set_reasons(std::map<TraceId, std::string> reasons) {
  if (reasons == reasons_) return;
  reasons_ = std::move(reasons);
  for (Row& row : rows_)
    if (const session::TraceRecord* t = document_->trace(row.id)) row.cells.back() = reason_of(*t);
  if (!rows_.empty()) Q_EMIT dataChanged(index(0, 0), index(static_cast<int>(rows_.size()) - 1, columnCount() - 1));
}

void TracesModel::refresh() {
  if (document_ && append_rows()) return choose_unit();
  std::vector<std::string> parameters;
  std::vector<Row> rows = make_rows(parameters);
  const auto before = static_cast<int>(rows_.size()), after = static_cast<int>(rows.size());
  if (parameters != parameters_ || after < before) {
    beginResetModel();
    parameters_ = std::move(parameters);
    rows_ = std::move(rows);
    endResetModel();
    return choose_unit();
  }
  if (after > before) beginInsertRows({}, before, after - 1);
  rows_ = std::move(rows);
  if (after > before) endInsertRows();
  if (before) Q_EMIT dataChanged(index(0, 0), index(before - 1, columnCount() - 1));
  choose_unit();
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

int TracesModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int TracesModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : 1 + static_cast<int>(parameters_.size()) + kFixedAfter;
}

QVariant TracesModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Row& row = rows_[static_cast<size_t>(index.row())];
  const size_t column = static_cast<size_t>(index.column());
  const bool differs = column < row.differs.size() && row.differs[column];
  const auto text = [&] {
    const QString cell = row.cells.value(index.column());
    return is_time(index.column()) && cell.isEmpty() ? unit_.text(row.numbers[column]) : cell;
  };
  switch (role) {
    case Qt::DisplayRole:
      return text();
    case Qt::ToolTipRole:
      return plain_tip(text());
    case Qt::AccessibleTextRole:
      return QString(headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString() + QLatin1Char(' ') +
                     text() + (differs ? QStringLiteral(", differs") : QString()));
    case Qt::TextAlignmentRole: {
      const bool number = index.column() > static_cast<int>(parameters_.size()) && index.column() + 1 < columnCount();
      return QVariant(static_cast<int>((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
    }
    case kDiffers:
      return differs;
    case kOrder:
      return std::isnan(row.numbers[column]) ? QVariant(row.cells[index.column()]) : QVariant(row.numbers[column]);
    case kTraceId:
      return row.id.value;
    case kMono:
      return index.column() != columnCount() - 1;
    case kFailed:
      return row.failed && index.column() == columnCount() - 1;
    default:
      return {};
  }
}

QVariant TracesModel::headerData(int section, Qt::Orientation orientation, int role) const {
  const bool number = section > static_cast<int>(parameters_.size()) && section + 1 < columnCount();
  if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole)
    return QVariant(static_cast<int>((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  if (section == 0) return QStringLiteral("Trace");
  const int parameter = section - 1;
  if (static_cast<size_t>(parameter) < parameters_.size()) return q(parameters_[static_cast<size_t>(parameter)]);
  if (is_time(section)) return unit_.heading("Tracing");
  static const char* const rest[] = {"Nodes", "Calls", "", "Why"};
  const size_t at = static_cast<size_t>(parameter) - parameters_.size();
  return at < 4 ? QString::fromLatin1(rest[at]) : QString();
}

SortedRows::SortedRows(QAbstractItemModel* rows, QObject* parent) : QSortFilterProxyModel(parent) {
  setSourceModel(rows);
}

void SortedRows::set_filter(const QString& text) {
  words_ = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  invalidateFilter();
}

bool SortedRows::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const QVariant a = left.data(TracesModel::kOrder), b = right.data(TracesModel::kOrder);
  const bool first = a.typeId() == QMetaType::Double, second = b.typeId() == QMetaType::Double;
  if (first && second) return a.toDouble() < b.toDouble();
  return first != second ? first : QString::compare(a.toString(), b.toString(), Qt::CaseInsensitive) < 0;
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
  TraceCounts counts;
  uint64_t creating = 0;
  int64_t tracing = 0;
  for (const session::TraceRecord& t : document.traces) {
    if (t.function != function) continue;
    counts.add(t);
    creating += t.error.empty() && t.reason == session::TraceReason::kVariableCreation;
    tracing += std::max<int64_t>(0, t.end_ns - t.start_ns);
  }
  QString text = counted(sums.calls, "call", "calls");
  const QString dot = QString::fromUtf8(" · ");
  if (sums.hits) text += dot + counted(sums.hits, "hit", "hits");
  if (sums.eager) text += dot + counted(sums.eager, "eager", "eager");
  if (sums.failed) text += dot + counted(sums.failed, "failed", "failed");
  text += dot + counted(counts.traces, "trace", "traces");
  if (creating) text += QStringLiteral(", %1 of them to create variables").arg(count_text(creating));
  if (counts.failed) text += dot + counted(counts.failed, "failed trace", "failed traces");
  if (tracing > 0 && sums.total_ns > 0) {
    text += dot + QStringLiteral("tracing took %1 of the %2 in calls")
                      .arg(duration_text(tracing), duration_text(std::max(sums.total_ns, tracing)));
  }
  return text;
}

}  // namespace footlight::app
