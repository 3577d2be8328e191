// The table of a comparison: what became of each line's ops, in program order or sorted, filtered, with two rows more
// at the end that make it add up to the totals of the waterfall.
#pragma once

#include "app/models/compare_units.h"
#include "app/models/document.h"

#include "engine/explain/compare/comparison.h"

#include <QAbstractTableModel>

#include <memory>
#include <vector>

namespace footlight::app {

using ComparisonPtr = std::shared_ptr<const explain::Comparison>;

class CompareTable : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kLine, kEagerOps, kEagerTime, kNodes, kTracedTime, kDifference, kGroup, kWhy, kColumns };
  using QAbstractTableModel::QAbstractTableModel;

  void set_comparison(const Document* document, ComparisonPtr comparison);
  // Rows in which some cell contains the text.
  void set_filter(const QString& text);
  void sort(int column, Qt::SortOrder order) override;  // column -1: program order
  int sorted_by() const { return column_; }

  int row_at(int shown) const;      // row of the comparison; -1: one of the sums
  int shown_of(int row) const;      // -1: filtered out
  size_t shown_rows() const { return shown_.size(); }
  const ColumnUnit& unit() const { return unit_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Times {
    double eager = 0, traced = 0, difference = 0;
  };
  QString cell(const explain::Row& row, int column) const;
  QString sum_cell(bool total, int column) const;
  Times rest() const;               // sum of all that has no row
  QString tip(const explain::Row& row) const;
  void arrange();

  const Document* document_ = nullptr;
  ComparisonPtr comparison_;
  std::vector<int> shown_;
  QString filter_;
  int column_ = -1;
  Qt::SortOrder order_ = Qt::AscendingOrder;
  ColumnUnit unit_ = unit_for(1e3);
};

}  // namespace footlight::app
