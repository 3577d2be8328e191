// The trace table of one function: a column for each parameter, cells that differ from the nearest trace marked.
#pragma once

#include "app/models/document.h"
#include "app/models/table_model.h"

#include <QSortFilterProxyModel>

#include <map>
#include <set>

namespace footlight::app {

class TracesModel : public TableModel {
 public:
  explicit TracesModel(QObject* parent = nullptr);

  void set_function(const Document* document, FunctionId function);
  void refresh();
  // Why traces were made, where a finding says more than their keys.
  void set_reasons(std::map<TraceId, std::string> reasons);

  TraceId trace_at(int row) const;
  int row_of(TraceId id) const;

  QVariant data(const QModelIndex& index, int role) const override;

 protected:
  size_t count() const override { return rows_.size(); }
  const void* row(size_t number) const override { return &rows_[number]; }

 private:
  struct Parameter {
    QString text;
    Cell order;
    bool differs = false;
  };
  struct Row {
    TraceId id;
    int number = 0;
    std::vector<Parameter> parameters;
    Cell nodes;
    uint64_t calls = 0;
    int64_t tracing_ns = 0;
    QString why;
    bool failed = false;
    bool ended = false;  // only its calls may still change
  };
  std::vector<Row> make_rows(std::vector<std::string>& parameters) const;
  Row make_row(const session::TraceRecord& trace, const std::vector<std::string>& parameters,
               const std::set<std::string>& differing) const;
  QString reason_of(const session::TraceRecord& trace) const;
  void take(std::vector<std::string> parameters, std::vector<Row> rows);
  bool append_rows();
  void insert_rows(std::vector<Row> more);
  void say_changed(int rows);

  const Document* document_ = nullptr;
  FunctionId function_;
  std::vector<std::string> parameters_;
  std::vector<Row> rows_;
  std::map<TraceId, std::string> reasons_;
};

// A table's rows sorted by a column, and only those with every word of a text.
class SortedRows : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  explicit SortedRows(TableModel* rows, QObject* parent = nullptr);
  void set_filter(const QString& text);

 protected:
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  TableModel* rows_;
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
