// Builds the navigator's rows for the tree view. Internal ids: 0 run, 1 + f function f, (f+1) << 32 trace.
#include "app/models/navigator_model.h"

#include "app/models/keys.h"
#include "app/models/text.h"

#include <algorithm>
#include <map>

namespace footlight::app {
namespace {
constexpr quintptr kRunId = 0;
constexpr quintptr kFunctionMark = 1;
constexpr int kTraceShift = 20;

// Parameters that distinguish the traces: those that vary, but not exactly as an earlier one does.
std::vector<std::string> telling_parameters(const session::FunctionRecord& f,
                                            const std::vector<const session::TraceRecord*>& traces) {
  std::vector<std::string> telling;
  std::vector<std::vector<int>> known;
  constexpr size_t kLookedAt = 64, kTold = 8;
  for (size_t i = 0; i < std::min(f.parameters.size(), kLookedAt) && telling.size() < kTold; ++i) {
    const std::string& p = f.parameters[i];
    std::map<QString, int> numbers;
    std::vector<int> pattern;
    for (const session::TraceRecord* t : traces) {
      pattern.push_back(numbers.try_emplace(parameter_cell(*t, p), static_cast<int>(numbers.size())).first->second);
    }
    if (numbers.size() < 2 || std::find(known.begin(), known.end(), pattern) != known.end()) continue;
    known.push_back(std::move(pattern));
    telling.push_back(p);
  }
  return telling;
}
}  // namespace

std::vector<NavigatorModel::FunctionRow> NavigatorModel::rows_of(const Document& document) {
  std::vector<FunctionRow> rows;
  std::vector<std::pair<FunctionId, bool>> many;
  for (const session::FunctionRecord& f : document.functions) {
    FunctionRow row;
    row.id = f.id;
    row.name = q(f.name);
    const auto traces = document.traces_of(f.id);
    const std::vector<std::string> telling = telling_parameters(f, traces);
    for (const session::TraceRecord* t : traces) {
      QString words;
      for (const std::string& p : telling) {
        const QString cell = parameter_cell(*t, p);
        if (!cell.isEmpty()) words += (words.isEmpty() ? QString() : QStringLiteral(" ")) + cell;
      }
      if (words.isEmpty()) words = q(t->signature);
      row.traces.push_back(
          {t->id, QStringLiteral("#%1  %2").arg(t->number).arg(words), q(t->signature), !t->error.empty()});
    }
    row.detail = traces.empty() ? QStringLiteral("not traced") : counted(traces.size(), "trace", "traces");
    row.colour = traces.empty() ? QStringLiteral("blue") : QStringLiteral("green");
    // Amber for more than the two traces that any function may need, or a failed one.
    if (traces.size() > 2) row.colour = QStringLiteral("amber");
    for (const TraceRow& t : row.traces) {
      if (t.failed) row.colour = QStringLiteral("red");
    }
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const FunctionRow& a, const FunctionRow& b) { return a.traces.size() > b.traces.size(); });
  return rows;
}

void NavigatorModel::set_document(const Document* document) {
  beginResetModel();
  document_ = document;
  functions_ = document ? rows_of(*document) : std::vector<FunctionRow>{};
  endResetModel();
}

void NavigatorModel::set_runs(std::vector<RunEntry> earlier) {
  beginResetModel();
  earlier_ = std::move(earlier);
  endResetModel();
}

void NavigatorModel::refresh() {
  if (!document_) return;
  std::vector<FunctionRow> rows = rows_of(*document_);
  const auto same_shape = [&] {
    if (rows.size() != functions_.size()) return false;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].id != functions_[i].id || rows[i].traces.size() < functions_[i].traces.size()) return false;
    }
    return true;
  };
  if (!same_shape()) {
    beginResetModel();
    functions_ = std::move(rows);
    endResetModel();
    return;
  }
  const QModelIndex run = index(0, 0);
  for (size_t i = 0; i < rows.size(); ++i) {
    const QModelIndex parent = index(static_cast<int>(i), 0, run);
    const size_t before = functions_[i].traces.size(), after = rows[i].traces.size();
    if (after > before) {
      beginInsertRows(parent, static_cast<int>(before), static_cast<int>(after) - 1);
      functions_[i] = std::move(rows[i]);
      endInsertRows();
    } else {
      functions_[i] = std::move(rows[i]);
    }
    Q_EMIT dataChanged(parent, parent);
    if (before) Q_EMIT dataChanged(index(0, 0, parent), index(static_cast<int>(before) - 1, 0, parent));
  }
  Q_EMIT dataChanged(run, run);
}

QModelIndex NavigatorModel::index_of_run() const { return document_ ? index(0, 0) : QModelIndex(); }

QModelIndex NavigatorModel::index_of(FunctionId function, TraceId trace) const {
  if (!document_) return {};
  for (size_t i = 0; i < functions_.size(); ++i) {
    if (functions_[i].id != function) continue;
    const QModelIndex parent = index(static_cast<int>(i), 0, index(0, 0));
    for (size_t t = 0; t < functions_[i].traces.size(); ++t) {
      if (functions_[i].traces[t].id == trace) return index(static_cast<int>(t), 0, parent);
    }
    return parent;
  }
  return {};
}

QModelIndex NavigatorModel::index(int row, int column, const QModelIndex& parent) const {
  if (row < 0 || column != 0 || row >= rowCount(parent)) return {};
  if (!parent.isValid()) return createIndex(row, 0, kRunId);
  if (parent.internalId() == kRunId) return createIndex(row, 0, kFunctionMark);
  return createIndex(row, 0, static_cast<quintptr>(parent.row() + 1) << kTraceShift);
}

QModelIndex NavigatorModel::parent(const QModelIndex& index) const {
  if (!index.isValid() || index.internalId() == kRunId) return {};
  if (index.internalId() == kFunctionMark) return createIndex(0, 0, kRunId);
  return createIndex(static_cast<int>(index.internalId() >> kTraceShift) - 1, 0, kFunctionMark);
}

int NavigatorModel::rowCount(const QModelIndex& parent) const {
  const int open = document_ ? 1 : 0;
  if (!parent.isValid()) return open + static_cast<int>(earlier_.size());
  if (parent.internalId() == kRunId) return parent.row() < open ? static_cast<int>(functions_.size()) : 0;
  if (parent.internalId() == kFunctionMark) {
    return static_cast<int>(functions_[static_cast<size_t>(parent.row())].traces.size());
  }
  return 0;
}

QVariant NavigatorModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  if (index.internalId() == kRunId) {
    const int open = document_ ? 1 : 0;
    const bool current = index.row() < open;
    const RunEntry entry =
        current ? RunEntry{document_->path, file_name(document_->run.script), clock_text(document_->run.started_ns)}
                : earlier_[static_cast<size_t>(index.row() - open)];
    switch (role) {
      case Qt::DisplayRole:
        return entry.clock.isEmpty() ? entry.title : entry.clock + QStringLiteral("  ") + entry.title;
      case Qt::ToolTipRole:
        return plain_tip(entry.path);
      case kKind:
        return kRun;
      case kPath:
        return entry.path;
      case kAttention:
        return current;
      default:
        return {};
    }
  }
  if (index.internalId() == kFunctionMark) {
    const FunctionRow& row = functions_[static_cast<size_t>(index.row())];
    switch (role) {
      case Qt::DisplayRole:
        return row.name;
      case Qt::AccessibleTextRole:
        return QString(row.name + QStringLiteral(", ") + row.detail);
      case Qt::ToolTipRole:
        return plain_tip(row.name + QStringLiteral(" · ") + row.detail);
      case kKind:
        return kFunction;
      case kDetail:
        return row.detail;
      case kColour:
        return row.colour;
      case kFunctionId:
        return row.id.value;
      default:
        return {};
    }
  }
  const FunctionRow& row = functions_[static_cast<size_t>((index.internalId() >> kTraceShift) - 1)];
  const TraceRow& trace = row.traces[static_cast<size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      return trace.text;
    case Qt::AccessibleTextRole:
      return QString(row.name + QStringLiteral(", trace ") + trace.text);
    case Qt::ToolTipRole:
      return plain_tip(trace.signature);
    case kKind:
      return kTrace;
    case kColour:
      return trace.failed ? QStringLiteral("red") : QString();
    case kFunctionId:
      return row.id.value;
    case kTraceId:
      return trace.id.value;
    default:
      return {};
  }
}

}  // namespace footlight::app
