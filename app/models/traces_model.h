// The trace table of one function: a column for each parameter, cells that differ from the nearest trace marked.
#pragma once

#include "app/models/document.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QStringList>

namespace footlight::app {

class TracesModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Role { kDiffers = Qt::UserRole, kTraceId, kMono, kFailed };
  using QAbstractTableModel::QAbstractTableModel;

  void set_function(const Document* document, FunctionId function);
  void refresh();

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
    std::vector<bool> differs;
    bool failed = false;
  };
  std::vector<Row> make_rows(std::vector<std::string>& parameters) const;

  const Document* document_ = nullptr;
  FunctionId function_;
  std::vector<std::string> parameters_;
  std::vector<Row> rows_;
};

// The table's rows sorted by a column, numbers as numbers, and only those with every word of a text.
class SortedTraces : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  explicit SortedTraces(TracesModel* traces, QObject* parent = nullptr);
  void set_filter(const QString& text);
  TraceId trace_at(int row) const;
  int row_of(TraceId id) const;  // -1: filtered out

 protected:
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  TracesModel* traces_;
  QStringList words_;
};

// One cell of the strip above the table: a trace, or a run of hits between two traces.
struct StripCell {
  enum class Kind { kTrace, kHits, kEager, kFailed };
  Kind kind = Kind::kHits;
  TraceId trace;
  int number = 0;     // of the trace
  size_t first = 0;   // index of its first call among the function's calls
  size_t count = 1;
};
// One per run of calls; if folded, adjacent hits are one run (query::CallIndex::runs).
std::vector<StripCell> call_strip(const Document& document, const std::vector<query::CallRun>& runs);

// "48 calls · 36 hits · 12 traces · tracing took 49.2 ms of 58.1 ms"
QString calls_summary(const Document& document, FunctionId function);

}  // namespace footlight::app
