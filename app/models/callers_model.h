// The time of a range bottom-up: ops and functions by their own time, below each those that called it.
#pragma once

#include "app/models/document.h"
#include "app/models/table_model.h"

#include "engine/query/stacks.h"

namespace footlight::app {

// "train_step", "MatMul", "body of a loop or branch: while_body_12", "thread 1".
QString frame_name(const Document& document, const std::vector<std::string>& phases, query::FrameKind kind,
                   uint32_t what);

class CallersModel : public TableOf<query::Caller> {
 public:
  explicit CallersModel(QObject* parent = nullptr);
  void set(const Document* document, const query::StackTree& tree);
  std::span<const query::Caller> rows() const override { return callers_.entries; }
  const query::Caller* at(const QModelIndex& index) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& = {}) const override { return static_cast<int>(columns_.size()); }

 protected:
  const void* row_under(const QModelIndex& index) const override { return at(index); }

 private:
  const std::vector<uint32_t>& below(const QModelIndex& parent) const;

  const Document* document_ = nullptr;
  query::BottomUp callers_;
  std::vector<std::string> phases_;
  int64_t total_ = 0;
};

}  // namespace footlight::app
