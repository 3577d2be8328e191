// Results of one node in each recorded call of its function: the rows of a table and the points of a line.
#pragma once

#include "app/models/values.h"

#include <QAbstractTableModel>

namespace footlight::app {

struct NodeCall {
  CallValuesPtr call;
  const session::TensorValue* value = nullptr;  // null: it did not run in that call
  int index = -1;                               // index of the call in the document
};
// Sorted by call. Other traces use the node of that name. Empty: no values of the function were recorded.
std::vector<NodeCall> node_over_calls(const Document& document, GraphId graph, uint32_t node, uint32_t output = 0);

class NodeCallsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  using QAbstractTableModel::QAbstractTableModel;
  enum Column { kCall, kMean, kMinimum, kMaximum, kDeviation, kNan, kInfinity, kColumns };
  void set(std::vector<NodeCall> rows);
  const std::vector<NodeCall>& rows() const { return rows_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<NodeCall> rows_;
};

}  // namespace footlight::app
