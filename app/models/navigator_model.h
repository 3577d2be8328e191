// The tree on the left: runs, under each its functions, under each its traces, by the hundred where there are more.
#pragma once

#include "app/models/document.h"

#include <QAbstractItemModel>
#include <QStringList>

namespace footlight::app {

struct RunEntry {
  QString path;    // the session file; empty: a script that has not run yet
  QString title;   // "retracing.py"
  QString clock;   // "12:04:31"
};

class NavigatorModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Role { kKind = Qt::UserRole, kDetail, kColour, kFunctionId, kTraceId, kPath, kAttention };
  enum Kind { kRun, kFunction, kPage, kTrace, kLibrary };
  static constexpr size_t kPageOf = 100;  // traces per page; a function with at most this many lists them directly

  using QAbstractItemModel::QAbstractItemModel;

  // The open run comes first, and is the only one with children. Does not own `document`; call refresh() when it has
  // grown.
  void set_document(const Document* document);
  void set_runs(std::vector<RunEntry> earlier);
  void refresh();

  // Functions of libraries stand below a row of their own, once that is open.
  void show_library(bool shown);
  bool library_is_shown() const { return library_shown_; }

  QModelIndex index_of(FunctionId function, TraceId trace = {}) const;
  QModelIndex index_of_run() const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& = {}) const override { return 1; }
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  struct TraceRow {
    TraceId id;
    int number = 0;
    QString words, signature;      // what tells it from the others; all of it
    int made = 0;                  // number among several functions of the same code; else 0
    bool failed = false;
    friend bool operator==(const TraceRow&, const TraceRow&) = default;
  };
  struct FunctionRow {
    std::vector<FunctionId> ids;   // functions of the same code; none: the row of the libraries' functions
    QString name, title, detail, colour;
    QString spoken;                // for a screen reader: "forward, resumed after line 13"
    bool is_of_library = false;
    std::vector<TraceRow> traces;
    size_t pages() const { return traces.size() > kPageOf ? (traces.size() + kPageOf - 1) / kPageOf : 0; }
    friend bool operator==(const FunctionRow&, const FunctionRow&) = default;
  };
  std::vector<FunctionRow> rows_of(const Document& document) const;
  void grow(size_t at, FunctionRow row);
  const FunctionRow& function_of(const QModelIndex& index) const;
  QVariant run_data(const QModelIndex& index, int role) const;
  static QVariant function_data(const FunctionRow& row, int role);
  static QVariant page_data(const FunctionRow& row, size_t page, int role);
  static QVariant trace_data(const FunctionRow& row, const TraceRow& trace, int role);

  const Document* document_ = nullptr;
  std::vector<RunEntry> earlier_;
  std::vector<FunctionRow> functions_;
  bool library_shown_ = false;
};

}  // namespace footlight::app
