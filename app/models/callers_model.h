// The time of a range bottom-up: ops and functions by their own time, below each those that called it.
#pragma once

#include "app/models/column_unit.h"
#include "app/models/document.h"

#include "engine/query/stacks.h"

#include <QAbstractItemModel>

namespace footlight::app {

// "train_step", "MatMul", "body of a loop or branch: while_body_12", "thread 1".
QString frame_name(const Document& document, const std::vector<std::string>& phases, query::FrameKind kind,
                   uint32_t what);

class CallersModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Column { kName, kSelf, kShare, kCount, kColumns };
  using QAbstractItemModel::QAbstractItemModel;
  void set(const Document* document, const query::StackTree& tree);
  const query::Caller* at(const QModelIndex& index) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  const std::vector<uint32_t>& below(const QModelIndex& parent) const;

  const Document* document_ = nullptr;
  query::BottomUp callers_;
  std::vector<std::string> phases_;
  int64_t total_ = 0;
  ColumnUnit unit_;
};

}  // namespace footlight::app
