// The table of a range: a row per op, shape, line or function; sorted and filtered; each column in one unit.
#pragma once

#include "app/models/column_unit.h"
#include "app/models/timeline.h"

#include <QAbstractTableModel>

namespace footlight::app {

class OpsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kName, kCount, kTotal, kShare, kSelf, kMedian, kP95, kGreatest, kBytes, kFlops, kRate, kFamily,
                kColumns };
  using QAbstractTableModel::QAbstractTableModel;

  void set_statistics(RangeStatistics statistics);
  const RangeStatistics& statistics() const { return statistics_; }
  void set_filter(const QString& text);  // parts that all must occur in the name or family
  const OpStatistics* at(int row) const;
  int row_of(uint64_t key) const;        // -1: not shown
  std::vector<uint64_t> keys() const;    // keys of the visible rows
  // Sorts by that column: numbers from the greatest, names from A; the other way round if it is sorted so already.
  void sort_by(int column);
  int sorted_by() const { return sorted_by_; }
  Qt::SortOrder order() const { return order_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  void sort(int column, Qt::SortOrder order) override;

 private:
  QString heading(int section) const;
  void arrange();
  void choose_units();
  bool passes(const OpStatistics& row) const;

  RangeStatistics statistics_;
  std::vector<size_t> shown_;    // indexes in statistics_.rows
  QStringList filter_;
  int sorted_by_ = kTotal;
  Qt::SortOrder order_ = Qt::DescendingOrder;
  ColumnUnit total_, self_, median_, p95_, greatest_, bytes_, flops_, rate_;
};

}  // namespace footlight::app
