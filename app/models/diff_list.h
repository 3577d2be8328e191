// The list under a graph diff: a row for everything that is not the same.
#pragma once

#include "app/models/diff_graphs.h"

#include <QAbstractTableModel>

namespace footlight::app {

class DiffList : public QAbstractTableModel {
  Q_OBJECT

 public:
  using QAbstractTableModel::QAbstractTableModel;
  enum Column { kState, kOp, kName, kLine, kWhat, kColumns };

  void set_diff(const Document* document, std::shared_ptr<const GraphsDiff> diff);
  DiffPlace place_at(int row) const { return diff_->differences()[static_cast<size_t>(row)]; }
  int row_of(DiffPlace place) const;  // -1: it is the same

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& = {}) const override { return kColumns; }
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QString text(DiffPlace place, int column) const;

  const Document* document_ = nullptr;
  std::shared_ptr<const GraphsDiff> diff_;
};

}  // namespace footlight::app
