// Results of one node in each recorded call of its function: the rows of a table and the points of a line.
#pragma once

#include "app/models/values.h"

namespace footlight::app {

struct NodeCall {
  CallValuesPtr call;
  const session::TensorValue* value = nullptr;  // null: it did not run in that call
  int index = -1;                               // index of the call in the document
};
// Sorted by call. Other traces use the node of that name. Empty: no values of the function were recorded.
std::vector<NodeCall> node_over_calls(const Document& document, GraphId graph, uint32_t node, uint32_t output = 0);

class NodeCallsModel : public TableOf<NodeCall> {
 public:
  explicit NodeCallsModel(QObject* parent = nullptr);
  void set(std::vector<NodeCall> rows);
  std::span<const NodeCall> rows() const override { return rows_; }

 private:
  std::vector<NodeCall> rows_;
};

}  // namespace footlight::app
