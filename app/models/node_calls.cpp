// Finds the node in each call's own graph, and puts its figures into cells.
#include "app/models/node_calls.h"

#include "app/models/text.h"
#include "app/models/traces_model.h"

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

void NodeCallsModel::set(std::vector<NodeCall> rows) {
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
}

int NodeCallsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int NodeCallsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

QVariant NodeCallsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const NodeCall& row = rows_[static_cast<size_t>(index.row())];
  const session::TensorValue* const v = row.value;
  const auto text = [&](int column) -> QString {
    if (column == kCall) return count_text(row.call->call);
    if (!v) return column == kMean ? QStringLiteral("Did not run") : QString();
    switch (column) {
      case kMean: return figure_text(v->mean);
      case kMinimum: return figure_text(v->minimum);
      case kMaximum: return figure_text(v->maximum);
      case kDeviation: return figure_text(v->deviation);
      case kNan: return count_or_nothing(v->nan);
      case kInfinity: return count_or_nothing(explain::infinities(*v));
      default: return {};
    }
  };
  switch (role) {
    case Qt::DisplayRole: return text(index.column());
    case TracesModel::kMono: return true;
    case Qt::TextAlignmentRole: return int(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::ForegroundRole:
      if (index.column() == kNan || index.column() == kInfinity) return QStringLiteral("red");
      return {};
    case Qt::AccessibleTextRole: {
      QStringList words;
      for (int c = 0; c < kColumns; ++c)
        if (const QString one = text(c); !one.isEmpty())
          words << headerData(c, Qt::Horizontal, Qt::DisplayRole).toString() + QLatin1Char(' ') + one;
      return words.join(QStringLiteral(", "));
    }
    default: return {};
  }
}

QVariant NodeCallsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) return int(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  static const char* const kHeads[] = {"Call", "Mean", "Minimum", "Maximum", "Deviation", "NaN", "Inf"};
  return section >= 0 && section < kColumns ? QVariant(QLatin1String(kHeads[section])) : QVariant();
}

}  // namespace footlight::app
