// Builds the navigator's rows for the tree view. Internal ids: 0 run, 1 function, (f+1) << 20 what function f lists
// (traces or pages), that + p+1 a trace on its page p.
#include "app/models/navigator_model.h"

#include "app/models/function_groups.h"
#include "app/models/keys.h"
#include "app/models/text.h"
#include "app/models/trace_counts.h"

#include "engine/explain/engines.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace footlight::app {
namespace {
constexpr quintptr kRunId = 0;
constexpr quintptr kFunctionMark = 1;
constexpr int kTraceShift = 20;
constexpr quintptr kPageMask = (quintptr{1} << kTraceShift) - 1;

// Parameters that distinguish the traces: those that vary, but not exactly as an earlier one does.
// Each comes with the leaves that all traces share, which its cells leave out.
std::vector<std::pair<std::string, std::set<std::string>>> telling_parameters(
    const session::FunctionRecord& f, const std::vector<const session::TraceRecord*>& traces) {
  std::vector<std::pair<std::string, std::set<std::string>>> telling;
  std::vector<std::vector<int>> known;
  constexpr size_t kLookedAt = 64, kTold = 8;
  for (size_t i = 0; i < std::min(f.parameters.size(), kLookedAt) && telling.size() < kTold; ++i) {
    const std::string& p = f.parameters[i];
    std::set<std::string> shared = shared_leaves(traces, p);
    std::map<QString, int> numbers;
    std::vector<int> pattern;
    for (const session::TraceRecord* t : traces) {
      const QString cell = parameter_cell(*t, p, shared);
      pattern.push_back(numbers.try_emplace(cell, static_cast<int>(numbers.size())).first->second);
    }
    if (numbers.size() < 2 || std::find(known.begin(), known.end(), pattern) != known.end()) continue;
    known.push_back(std::move(pattern));
    telling.emplace_back(p, std::move(shared));
  }
  return telling;
}

// Puts what resumes a function after a graph break below that function, in the order of the breaks.
template <class Rows>
void put_resumes_below(const Document& document, Rows& rows) {
  const auto record = [&](const auto& row) { return row.ids.empty() ? nullptr : document.function(row.ids.front()); };
  const auto first = std::stable_partition(rows.begin(), rows.end(), [&](const auto& row) {
    const session::FunctionRecord* f = record(row);
    return !f || !explain::is_resume(*f);
  });
  Rows resumes(std::make_move_iterator(first), std::make_move_iterator(rows.end()));
  rows.erase(first, rows.end());
  std::ranges::sort(resumes, {}, [](const auto& row) { return row.ids.front().value; });
  for (auto& row : resumes) {
    const FunctionId parent = record(row)->parent;
    auto at = std::ranges::find_if(
        rows, [&](const auto& one) { return std::ranges::find(one.ids, parent) != one.ids.end(); });
    if (at != rows.end()) ++at;
    while (at != rows.end() && record(*at) && explain::is_resume(*record(*at))) ++at;
    rows.insert(at, std::move(row));
  }
}
}  // namespace

std::vector<NavigatorModel::FunctionRow> NavigatorModel::rows_of(const Document& document) const {
  std::vector<FunctionRow> rows, library;
  for (const FunctionGroup& group : function_groups(document)) {
    FunctionRow row;
    row.ids = group.ids;
    row.is_of_library = group.is_of_library;
    const session::FunctionRecord& f = *document.function(group.ids.front());
    row.name = explain::is_resume(f) ? group.title : q(f.name);
    row.spoken = group.title;
    row.title = explain::is_resume(f) ? QString::fromUtf8("↳ ") + q(f.options) : group.title;
    std::vector<const session::TraceRecord*> traces;
    std::map<uint32_t, int> made;
    for (const FunctionId id : group.ids) {
      made.emplace(id.value, static_cast<int>(made.size()) + 1);
      for (const session::TraceRecord* t : document.traces_of(id)) traces.push_back(t);
    }
    // Sorted by creation, so that new ones are appended.
    if (group.ids.size() > 1) std::ranges::stable_sort(traces, {}, [](const auto* t) { return t->id.value; });
    const auto telling = telling_parameters(f, traces);
    size_t most = 0;
    std::map<uint32_t, size_t> counts;
    for (const session::TraceRecord* t : traces) {
      most = std::max(most, ++counts[t->function.value]);
      QString words;
      for (const auto& [p, shared] : telling) {
        const QString cell = parameter_cell(*t, p, shared);
        if (!cell.isEmpty()) words += (words.isEmpty() ? QString() : QStringLiteral(" ")) + cell;
      }
      if (words.isEmpty()) words = q(t->signature);
      const int number = group.ids.size() > 1 ? made[t->function.value] : 0;
      row.traces.push_back({t->id, t->number, words, q(t->signature), number, !t->error.empty()});
    }
    row.detail = traces.empty() ? QStringLiteral("Not traced") : counted_traces(counts_of(traces));
    if (group.ids.size() > 1) row.detail.prepend(QString::fromUtf8("×%1 · ").arg(group.ids.size()));
    row.colour = traces.empty() ? QStringLiteral("blue") : QStringLiteral("green");
    // Amber for more than the two traces that any function may need, or a failed one.
    if (most > 2 || counts.size() > 2) row.colour = QStringLiteral("amber");
    for (const TraceRow& t : row.traces) {
      if (t.failed) row.colour = QStringLiteral("red");
    }
    (row.is_of_library ? library : rows).push_back(std::move(row));
  }
  const auto by_traces = [](const FunctionRow& a, const FunctionRow& b) { return a.traces.size() > b.traces.size(); };
  for (std::vector<FunctionRow>* some : {&rows, &library}) {
    std::stable_sort(some->begin(), some->end(), by_traces);
    put_resumes_below(document, *some);
  }
  if (library.empty()) return rows;
  size_t traces = 0;
  for (const FunctionRow& row : library) traces += row.traces.size();
  FunctionRow fold;
  fold.name = fold.title = fold.spoken = QStringLiteral("Libraries");
  fold.is_of_library = true;
  fold.detail = counted(library.size(), "function", "functions");
  rows.push_back(std::move(fold));
  if (library_shown_) std::ranges::move(library, std::back_inserter(rows));
  return rows;
}

void NavigatorModel::show_library(bool shown) {
  if (shown == library_shown_ || !document_) return;
  library_shown_ = shown;
  const QModelIndex run = index(0, 0);
  std::vector<FunctionRow> rows = rows_of(*document_);
  const int now = static_cast<int>(functions_.size()), then = static_cast<int>(rows.size());
  if (then > now) {
    beginInsertRows(run, now, then - 1);
    functions_ = std::move(rows);
    endInsertRows();
  } else if (then < now) {
    beginRemoveRows(run, then, now - 1);
    functions_ = std::move(rows);
    endRemoveRows();
  }
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
      const std::vector<FunctionId>&now = rows[i].ids, &was = functions_[i].ids;
      if (now.empty() != was.empty() || (!now.empty() && now.front() != was.front())) return false;
      if (rows[i].traces.size() < functions_[i].traces.size()) return false;
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
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i] != functions_[i]) grow(i, std::move(rows[i]));  // views look at each row that is said to have changed
  Q_EMIT dataChanged(run, run);
}

// Takes in more traces of a function, step by step, so that rows stay chosen and open.
void NavigatorModel::grow(size_t at, FunctionRow row) {
  const QModelIndex parent = index(static_cast<int>(at), 0, index(0, 0));
  const auto own = [&]() -> FunctionRow& { return functions_[at]; };
  std::vector<TraceRow> all = std::exchange(row.traces, std::exchange(own().traces, {}));
  own() = std::move(row);   // `row` may have other words for its traces, too
  const size_t before = own().traces.size(), after = all.size();
  const auto fill = [&](size_t count) { own().traces.assign(all.begin(), all.begin() + static_cast<long>(count)); };
  const auto insert = [&](const QModelIndex& under, size_t first, size_t last, size_t count) {
    beginInsertRows(under, static_cast<int>(first), static_cast<int>(last));
    fill(count);
    endInsertRows();
  };
  const size_t pages = own().pages();
  fill(before);
  if (before < after && after <= kPageOf) insert(parent, before, after - 1, after);
  else if (before < after && !pages) {
    if (before) {
      beginRemoveRows(parent, 0, static_cast<int>(before) - 1);
      own().traces.clear();
      endRemoveRows();
    }
    insert(parent, 0, (after + kPageOf - 1) / kPageOf - 1, after);
  } else if (before < after) {
    const size_t room = std::min(after, pages * kPageOf), on_page = before - (pages - 1) * kPageOf;
    if (room > before) {
      const QModelIndex last = index(static_cast<int>(pages) - 1, 0, parent);
      insert(last, on_page, on_page + room - before - 1, room);
    }
    if (after > room) insert(parent, pages, (after + kPageOf - 1) / kPageOf - 1, after);
  }
  Q_EMIT dataChanged(parent, parent);
  const int rows = rowCount(parent);
  if (!rows) return;
  Q_EMIT dataChanged(index(0, 0, parent), index(rows - 1, 0, parent));
  for (size_t p = 0; p < own().pages(); ++p) {
    const QModelIndex page = index(static_cast<int>(p), 0, parent);
    Q_EMIT dataChanged(index(0, 0, page), index(rowCount(page) - 1, 0, page));
  }
}

QModelIndex NavigatorModel::index_of_run() const { return document_ ? index(0, 0) : QModelIndex(); }

QModelIndex NavigatorModel::index_of(FunctionId function, TraceId trace) const {
  if (!document_) return {};
  const session::FunctionRecord* wanted = document_->function(function);
  for (size_t i = 0; i < functions_.size(); ++i) {
    const std::vector<FunctionId>& ids = functions_[i].ids;
    // The row into which a function is folded represents it.
    if (ids.empty() && !library_shown_ && wanted && is_of_library(*document_, *wanted))
      return index(static_cast<int>(i), 0, index(0, 0));
    if (std::ranges::find(ids, function) == ids.end()) continue;
    const QModelIndex parent = index(static_cast<int>(i), 0, index(0, 0));
    const std::vector<TraceRow>& traces = functions_[i].traces;
    const auto found = std::find_if(traces.begin(), traces.end(), [&](const TraceRow& t) { return t.id == trace; });
    if (found == traces.end()) return parent;
    const auto at = static_cast<size_t>(found - traces.begin());
    if (!functions_[i].pages()) return index(static_cast<int>(at), 0, parent);
    return index(static_cast<int>(at % kPageOf), 0, index(static_cast<int>(at / kPageOf), 0, parent));
  }
  return {};
}

QModelIndex NavigatorModel::index(int row, int column, const QModelIndex& parent) const {
  if (row < 0 || column != 0 || row >= rowCount(parent)) return {};
  if (!parent.isValid()) return createIndex(row, 0, kRunId);
  if (parent.internalId() == kRunId) return createIndex(row, 0, kFunctionMark);
  if (parent.internalId() == kFunctionMark)
    return createIndex(row, 0, static_cast<quintptr>(parent.row() + 1) << kTraceShift);
  return createIndex(row, 0, parent.internalId() + static_cast<quintptr>(parent.row()) + 1);
}

QModelIndex NavigatorModel::parent(const QModelIndex& index) const {
  if (!index.isValid() || index.internalId() == kRunId) return {};
  if (index.internalId() == kFunctionMark) return createIndex(0, 0, kRunId);
  const quintptr page = index.internalId() & kPageMask;
  if (page) return createIndex(static_cast<int>(page) - 1, 0, index.internalId() - page);
  return createIndex(static_cast<int>(index.internalId() >> kTraceShift) - 1, 0, kFunctionMark);
}

const NavigatorModel::FunctionRow& NavigatorModel::function_of(const QModelIndex& index) const {
  return functions_[index.internalId() == kFunctionMark
                        ? static_cast<size_t>(index.row())
                        : static_cast<size_t>(index.internalId() >> kTraceShift) - 1];
}

int NavigatorModel::rowCount(const QModelIndex& parent) const {
  const int open = document_ ? 1 : 0;
  if (!parent.isValid()) return open + static_cast<int>(earlier_.size());
  if (parent.internalId() == kRunId) return parent.row() < open ? static_cast<int>(functions_.size()) : 0;
  const FunctionRow& f = function_of(parent);
  if (parent.internalId() == kFunctionMark) return static_cast<int>(f.pages() ? f.pages() : f.traces.size());
  if (parent.internalId() & kPageMask || !f.pages()) return 0;
  return static_cast<int>(std::min(kPageOf, f.traces.size() - static_cast<size_t>(parent.row()) * kPageOf));
}

QVariant NavigatorModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  if (index.internalId() == kRunId) return run_data(index, role);
  const FunctionRow& f = function_of(index);
  if (index.internalId() == kFunctionMark) return function_data(f, role);
  const quintptr page = index.internalId() & kPageMask;
  const auto row = static_cast<size_t>(index.row());
  if (f.pages() && !page) return page_data(f, row, role);
  return trace_data(f, f.traces[page ? (page - 1) * kPageOf + row : row], role);
}

QVariant NavigatorModel::run_data(const QModelIndex& index, int role) const {
  const int open = document_ ? 1 : 0;
  const bool current = index.row() < open;
  const auto open_run = [this] {
    const session::RunRecord& run = document_->run;
    return RunEntry{document_->path, file_name(run.script), run_clock(document_->path, run.started_ns)};
  };
  const RunEntry entry = current ? open_run() : earlier_[static_cast<size_t>(index.row() - open)];
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

QVariant NavigatorModel::function_data(const FunctionRow& row, int role) {
  switch (role) {
    case Qt::DisplayRole:  // in a narrow column, names that begin alike would look the same
      return row.title.section(QStringLiteral("<locals>."), -1);
    case Qt::AccessibleTextRole:
      return QString(row.spoken + QStringLiteral(", ") + row.detail);
    case Qt::ToolTipRole:
      return plain_tip(row.ids.empty() ? QStringLiteral("Functions that libraries made for themselves")
                                       : row.name + QStringLiteral(" · ") + row.detail +
                                             (row.ids.size() > 1 ? QStringLiteral("\n%1 functions of the same code")
                                                                       .arg(row.ids.size())
                                                                 : QString()));
    case kKind:
      return row.ids.empty() ? kLibrary : kFunction;
    case kDetail:
      return row.detail;
    case kColour:
      return row.colour;
    case kFunctionId:
      return row.ids.empty() ? QVariant() : QVariant(row.ids.front().value);
    default:
      return {};
  }
}

QVariant NavigatorModel::page_data(const FunctionRow& row, size_t page, int role) {
  const size_t first = page * kPageOf, last = std::min(first + kPageOf, row.traces.size()) - 1;
  const auto text = [&] {
    return QString::fromUtf8("#%1 – #%2").arg(row.traces[first].number).arg(row.traces[last].number);
  };
  switch (role) {
    case Qt::DisplayRole:
      return text();
    case Qt::AccessibleTextRole:
      return QString(row.name + QStringLiteral(", traces ") + text());
    case Qt::ToolTipRole:
      return plain_tip(text() + QStringLiteral("\n") + row.traces[first].words + QString::fromUtf8(" … ") +
                       row.traces[last].words);
    case kKind:
      return kPage;
    case kDetail:
      return row.traces[first].words;
    case kColour:
      for (size_t t = first; t <= last; ++t)
        if (row.traces[t].failed) return QStringLiteral("red");
      return QString();
    case kFunctionId:
      return row.ids.front().value;
    default:
      return {};
  }
}

QVariant NavigatorModel::trace_data(const FunctionRow& row, const TraceRow& trace, int role) {
  const auto text = [&] {
    const QString which = trace.made ? QStringLiteral("%1: ").arg(trace.made) : QString();
    return which + QStringLiteral("#%1  %2").arg(trace.number).arg(trace.words);
  };
  switch (role) {
    case Qt::DisplayRole:
      return text();
    case Qt::AccessibleTextRole:
      return QString(row.name + QStringLiteral(", trace ") + text());
    case Qt::ToolTipRole:
      return plain_tip(trace.signature);
    case kKind:
      return kTrace;
    case kColour:
      return trace.failed ? QStringLiteral("red") : QString();
    case kFunctionId:
      return row.ids.front().value;
    case kTraceId:
      return trace.id.value;
    default:
      return {};
  }
}

}  // namespace footlight::app
