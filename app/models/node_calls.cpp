// Finds the node in each call's own graph, and shows its figures.
#include "app/models/node_calls.h"

#include "app/models/text.h"

#include <algorithm>
#include <cmath>

namespace footlight::app {
namespace {

QString figure_text(double v) { return std::isnan(v) ? QString::fromUtf8("–") : q(explain::number_text(v)); }

QString count_or_nothing(int64_t count) {
  return count > 0 ? count_text(static_cast<uint64_t>(count)) : QString();
}

}  // namespace

std::vector<NodeCall> node_over_calls(const Document& document, GraphId graph, uint32_t node, uint32_t output) {
  std::vector<NodeCall> all;
  const session::TraceRecord* const trace = document.trace_of_graph(graph);
  const session::NodeRecord* const wanted = document.node(graph, node);
  if (!trace || !wanted) return all;
  for (size_t i = 0; i < document.values.size(); ++i) {
    const CallValuesPtr& call = document.values[i];
    if (call->function != trace->function || (call->values.empty() && !call->error.empty())) continue;
    NodeCall one{call, value_of(*call, graph, node, output), static_cast<int>(i)};
    if (!one.value && call->trace != trace->id)
      for (const session::TensorValue& value : call->values) {
        const session::NodeRecord* const other = document.node(value.graph, value.node.value);
        if (!other || value.output != output || other->name != wanted->name || other->op != wanted->op) continue;
        one.value = &value;
        break;
      }
    all.push_back(std::move(one));
  }
  std::ranges::stable_sort(all, {}, [](const NodeCall& one) { return one.call->call; });
  // A call that was recorded twice, because it was asked for and made the first NaN, is one call.
  const auto twice = std::ranges::unique(all, {}, [](const NodeCall& one) { return one.call->call; });
  all.erase(twice.begin(), twice.end());
  return all;
}

NodeCallsModel::NodeCallsModel(QObject* parent) : TableOf(parent) {
  using session::TensorValue;
  const auto figure = [](double TensorValue::*member) {
    return [member](const NodeCall& row) { return row.value ? figure_text(row.value->*member) : QString(); };
  };
  const auto red = [](const NodeCall&) { return QStringLiteral("red"); };
  set_columns({
      {.name = "Call", .value = [](const NodeCall& row) { return row.call->call; }, .unit = Unit::kCount},
      {.name = "Mean", .unit = Unit::kNumber,
       .text = [](const NodeCall& row) {
         return row.value ? figure_text(row.value->mean) : QStringLiteral("Did not run");
       }},
      {.name = "Minimum", .unit = Unit::kNumber, .text = figure(&TensorValue::minimum)},
      {.name = "Maximum", .unit = Unit::kNumber, .text = figure(&TensorValue::maximum)},
      {.name = "Deviation", .unit = Unit::kNumber, .text = figure(&TensorValue::deviation)},
      {.name = "NaN", .unit = Unit::kNumber,
       .text = [](const NodeCall& row) { return row.value ? count_or_nothing(row.value->nan) : QString(); },
       .tone = red},
      {.name = "Inf", .unit = Unit::kNumber,
       .text = [](const NodeCall& row) {
         return row.value ? count_or_nothing(explain::infinities(*row.value)) : QString();
       },
       .tone = red},
  });
  spoken_ = Spoken::kRow;
}

void NodeCallsModel::set(std::vector<NodeCall> rows) {
  reset([&] { rows_ = std::move(rows); });
}

}  // namespace footlight::app
