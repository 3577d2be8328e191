// The table of a range: a row per op, shape, line or function.
#pragma once

#include "app/models/table_model.h"
#include "app/models/timeline.h"

namespace footlight::app {

class OpsModel : public TableOf<OpStatistics> {
 public:
  explicit OpsModel(QObject* parent = nullptr);

  void set_statistics(RangeStatistics statistics);
  const RangeStatistics& statistics() const { return statistics_; }
  std::span<const OpStatistics> rows() const override { return statistics_.rows; }
  int row_of(uint64_t key) const;    // -1: not shown
  std::vector<uint64_t> keys() const;    // keys of the visible rows

 private:
  RangeStatistics statistics_;
};

}  // namespace footlight::app
