// The list under a graph diff: a row for everything that is not the same.
#pragma once

#include "app/models/diff_graphs.h"
#include "app/models/table_model.h"

namespace footlight::app {

class DiffList : public TableOf<DiffPlace> {
 public:
  explicit DiffList(QObject* parent = nullptr);
  void set_diff(const Document* document, std::shared_ptr<const GraphsDiff> diff);
  std::span<const DiffPlace> rows() const override;
  DiffPlace place_at(int row) const { return *at(row); }
  int row_of(DiffPlace place) const;  // -1: it is the same

 private:
  const session::NodeRecord& node(DiffPlace place) const;
  QString tone(DiffPlace place) const;

  const Document* document_ = nullptr;
  std::shared_ptr<const GraphsDiff> diff_;
};

}  // namespace footlight::app
