// Work of devices in a range as a table: a row per kernel, copy, fill and call of the device's API; sorted
// and filtered; each column in one unit.
#pragma once

#include "app/models/column_unit.h"

#include "engine/query/device_sums.h"

#include <QAbstractTableModel>
#include <QStringList>

#include <vector>

namespace footlight::app {

// "Kernel", "Copy", "Fill", "API call".
QString device_kind_word(const std::string& kind);

class KernelsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kName, kKind, kCount, kTotal, kShare, kMean, kMin, kMax, kBytes, kRate, kColumns };
  using QAbstractTableModel::QAbstractTableModel;

  void set(std::vector<query::DeviceSum> sums);
  void set_filter(const QString& text);  // parts that all must occur in the name or kind
  const query::DeviceSum* at(int row) const;
  int row_of(const query::DeviceName& name) const;  // -1: not shown
  std::vector<query::DeviceName> names() const;     // names of the visible rows
  // Sorts by that column: numbers from the greatest, names from A; the other way round if it is sorted so already.
  void sort_by(int column);
  // "3 kernels and copies ran 24 times for 1.20 ms; 5 kinds of API calls were made 80 times"
  QString sentence() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  void sort(int column, Qt::SortOrder order) override;

 private:
  void arrange();

  std::vector<query::DeviceSum> sums_;
  std::vector<size_t> shown_;     // indexes in sums_
  int64_t device_ns_ = 0;         // time of all work of devices
  QStringList filter_;
  int sorted_by_ = kTotal;
  Qt::SortOrder order_ = Qt::DescendingOrder;
  ColumnUnit total_, mean_, min_, max_, bytes_, rate_;
};

}  // namespace footlight::app
