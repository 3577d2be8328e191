// The tree on the left: runs, under each its functions, under each its traces. Only the open run has children.
#pragma once

#include "app/models/document.h"

#include <QAbstractItemModel>
#include <QStringList>

namespace footlight::app {

struct RunEntry {
  QString path;    // of the session file; empty: a script that has not run yet
  QString title;   // "retracing.py"
  QString clock;   // "12:04:31"
};

class NavigatorModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Role { kKind = Qt::UserRole, kDetail, kColour, kFunctionId, kTraceId, kPath, kAttention };
  enum Kind { kRun, kFunction, kTrace };

  using QAbstractItemModel::QAbstractItemModel;

  // The open run comes first. Does not own `document`; call refresh() when it has grown.
  void set_document(const Document* document);
  void set_runs(std::vector<RunEntry> earlier);
  void refresh();

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
    QString text, signature;
    bool failed = false;
  };
  struct FunctionRow {
    FunctionId id;
    QString name, detail, colour;
    std::vector<TraceRow> traces;
  };
  static std::vector<FunctionRow> rows_of(const Document& document);

  const Document* document_ = nullptr;
  std::vector<RunEntry> earlier_;
  std::vector<FunctionRow> functions_;
};

}  // namespace footlight::app
