// The trace table of one function: a column for each parameter, cells that differ from the nearest trace marked.
#pragma once

#include "app/models/column_unit.h"
#include "app/models/document.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QStringList>

#include <map>
#include <set>

namespace footlight::app {

class TracesModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Role { kDiffers = Qt::UserRole, kTraceId, kMono, kFailed, kOrder };  // kOrder: a number or a text to sort by
  using QAbstractTableModel::QAbstractTableModel;

  void set_function(const Document* document, FunctionId function);
  void refresh();
  // Why traces were made, where a finding says more than their keys.
  void set_reasons(std::map<TraceId, std::string> reasons);

  TraceId trace_at(int row) const;
  int row_of(TraceId id) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row {
    TraceId id;
    QStringList cells;
    std::vector<double> numbers;  // sort keys of the cells; NaN: the text is the key
    std::vector<bool> differs;
    bool failed = false;
    bool ended = false;  // only its calls may still change
  };
  std::vector<Row> make_rows(std::vector<std::string>& parameters) const;
  Row make_row(const session::TraceRecord& trace, const std::vector<std::string>& parameters,
               const std::set<std::string>& differing) const;
  QString reason_of(const session::TraceRecord& trace) const;
  bool append_rows();
  void choose_unit();
  bool is_time(int column) const { return column == static_cast<int>(parameters_.size()) + 3; }

  const Document* document_ = nullptr;
  FunctionId function_;
  std::vector<std::string> parameters_;
  std::vector<Row> rows_;
  ColumnUnit unit_;      // unit of the column of times
  std::map<TraceId, std::string> reasons_;
};

// A table's rows sorted by a column, numbers as numbers, and only those with every word of a text.
class SortedRows : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  explicit SortedRows(QAbstractItemModel* rows, QObject* parent = nullptr);
  void set_filter(const QString& text);

 protected:
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  QStringList words_;
};

class SortedTraces : public SortedRows {
  Q_OBJECT

 public:
  explicit SortedTraces(TracesModel* traces, QObject* parent = nullptr);
  // Only these, if there are any; sorted.
  void set_only(std::vector<TraceId> traces);
  TraceId trace_at(int row) const;
  int row_of(TraceId id) const;  // -1: filtered out

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  TracesModel* traces_;
  std::vector<TraceId> only_;
};

// Why a trace was made, in a few words: "value of lr", "First call".
QString reason_text(const session::TraceRecord& trace);

// One cell of the strip above the table: a trace, or a run of hits between two traces.
struct StripCell {
  enum class Kind { kTrace, kHits, kEager, kFailed };
  Kind kind = Kind::kHits;
  TraceId trace;
  int number = 0;     // number of the trace
  size_t first = 0;   // index of its first call among the function's calls
  size_t count = 1;
  bool chosen = true;  // belongs to the chosen calls
};
// One per run of calls; if folded, adjacent hits are one run (query::CallIndex::runs).
std::vector<StripCell> call_strip(const Document& document, const std::vector<query::CallRun>& runs);

// "48 calls · 36 hits · 12 traces · tracing took 49.2 ms of 58.1 ms"
QString calls_summary(const Document& document, FunctionId function);

}  // namespace footlight::app
