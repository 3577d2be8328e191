// Cells, order and sums of the table of a comparison.
#include "app/models/compare_table.h"

#include "app/models/compare_facts.h"
#include "app/models/text.h"
#include "app/models/traces_model.h"

#include <algorithm>
#include <numeric>

namespace footlight::app {
namespace {

bool is_number(int column) {
  return column == CompareTable::kLine || column == CompareTable::kEagerTime || column == CompareTable::kTracedTime ||
         column == CompareTable::kDifference;
}

double number_of(const explain::Row& row, int column) {
  switch (column) {
    case CompareTable::kLine: return row.at.line;
    case CompareTable::kEagerTime: return row.eager.mean;
    case CompareTable::kTracedTime: return row.traced.mean;
    default: return row.difference.mean;
  }
}

}  // namespace

void CompareTable::set_comparison(const Document* document, ComparisonPtr comparison) {
  beginResetModel();
  document_ = document;
  comparison_ = std::move(comparison);
  if (comparison_) {
    double least = 0;
    for (const explain::Row& row : comparison_->rows) {
      for (const double ns : {row.eager.mean, row.traced.mean})
        if (ns >= 1 && (least == 0 || ns < least)) least = ns;
    }
    unit_ = unit_for(std::max(comparison_->eager.total.mean, comparison_->traced.total.mean), least);
  }
  arrange();
  endResetModel();
}

void CompareTable::set_filter(const QString& text) {
  beginResetModel();
  filter_ = text.trimmed();
  arrange();
  endResetModel();
}

void CompareTable::sort(int column, Qt::SortOrder order) {
  beginResetModel();
  column_ = column;
  order_ = order;
  arrange();
  endResetModel();
}

void CompareTable::arrange() {
  shown_.clear();
  if (!comparison_) return;
  const std::vector<explain::Row>& rows = comparison_->rows;
  for (size_t i = 0; i < rows.size(); ++i) {
    bool wanted = filter_.isEmpty();
    for (int c = 0; !wanted && c < kColumns; ++c) wanted = cell(rows[i], c).contains(filter_, Qt::CaseInsensitive);
    if (wanted) shown_.push_back(static_cast<int>(i));
  }
  if (column_ < 0) return;
  const auto less = [&](int a, int b) {
    const explain::Row &left = rows[static_cast<size_t>(a)], &right = rows[static_cast<size_t>(b)];
    if (is_number(column_)) return number_of(left, column_) < number_of(right, column_);
    return cell(left, column_).localeAwareCompare(cell(right, column_)) < 0;
  };
  std::stable_sort(shown_.begin(), shown_.end(),
                   [&](int a, int b) { return order_ == Qt::AscendingOrder ? less(a, b) : less(b, a); });
}

int CompareTable::row_at(int shown) const {
  return shown >= 0 && static_cast<size_t>(shown) < shown_.size() ? shown_[static_cast<size_t>(shown)] : -1;
}

int CompareTable::shown_of(int row) const {
  const auto at = std::find(shown_.begin(), shown_.end(), row);
  return at == shown_.end() ? -1 : static_cast<int>(at - shown_.begin());
}

int CompareTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !comparison_ ? 0 : static_cast<int>(shown_.size()) + 2;
}
int CompareTable::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

QString CompareTable::cell(const explain::Row& row, int column) const {
  switch (column) {
    case kLine: return !row.place.empty() ? q(row.place) : row.at ? QString::number(row.at.line) : QString();
    case kEagerOps: return q(row.eager_ops);
    case kEagerTime: return row.eager_count ? column_text(row.eager.mean, unit_) : QString();
    case kNodes: return q(row.graph_nodes);
    case kTracedTime: return row.traced_count ? column_text(row.traced.mean, unit_) : QString();
    case kDifference: return column_change_text(row.difference.mean, unit_);
    case kGroup: return QLatin1String(explain::name_of(row.group));
    default: return q(row.why);
  }
}

CompareTable::Times CompareTable::rest() const {
  const explain::Comparison& c = *comparison_;
  Times left{c.eager.total.mean, c.traced.total.mean, c.difference.mean};
  for (const int at : shown_) {
    const explain::Row& row = c.rows[static_cast<size_t>(at)];
    left.eager -= row.eager.mean;
    left.traced -= row.traced.mean;
    left.difference -= row.difference.mean;
  }
  return left;
}

QString CompareTable::sum_cell(bool total, int column) const {
  const explain::Comparison& c = *comparison_;
  const Times times = total ? Times{c.eager.total.mean, c.traced.total.mean, c.difference.mean} : rest();
  switch (column) {
    case kEagerOps:
      if (total) return QStringLiteral("Total");
      return shown_.size() == c.rows.size() ? QStringLiteral("Outside of ops") : QStringLiteral("All others");
    case kEagerTime: return column_text(times.eager, unit_);
    case kTracedTime: return column_text(times.traced, unit_);
    case kDifference: return column_change_text(times.difference, unit_);
    case kWhy:
      if (!total && c.recorded) return QStringLiteral("Python, calls, tracing and the other parts above");
      if (!total && std::min(times.eager, times.traced) < 0)
        return QStringLiteral("Below 0: the recorded repetitions, from which the rows come, took longer");
      return total ? QString() : QStringLiteral("Python, dispatch and the other parts above");
    default: return {};
  }
}

QString CompareTable::tip(const explain::Row& row) const {
  QString text = QLatin1String(explain::name_of(row.group)) + QStringLiteral(": ") +
                 QLatin1String(explain::meaning_of(row.group));
  if (!row.why.empty()) text += QLatin1Char('\n') + q(row.why);
  if (document_ && row.at) {
    const SourcePlace place{row.at.file, row.at.line};
    text += QLatin1Char('\n') + document_->place_text(place) + QStringLiteral("  ") +
            document_->line_text(place).trimmed();
  }
  return text;
}

QVariant CompareTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !comparison_) return {};
  const int at = row_at(index.row());
  const bool total = index.row() == rowCount() - 1;
  const explain::Row* row = at < 0 ? nullptr : &comparison_->rows[static_cast<size_t>(at)];
  switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole: return row ? cell(*row, index.column()) : sum_cell(total, index.column());
    case Qt::TextAlignmentRole:
      return static_cast<int>((is_number(index.column()) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case TracesModel::kMono: return index.column() < kGroup && (row || is_number(index.column()));
    case Qt::ToolTipRole: return plain_tip(row ? tip(*row) : QString());
    case Qt::ForegroundRole: {
      if (index.column() != kDifference) return {};
      const double by = row ? row->difference.mean : total ? comparison_->difference.mean : rest().difference;
      return by < 0 ? QStringLiteral("green") : by > 0 ? QStringLiteral("red") : QString();
    }
    default: return {};
  }
}

QVariant CompareTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) return {};
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((is_number(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  const QString left = comparison_ ? side_title(*comparison_, comparison_->eager) : QStringLiteral("Eager");
  const QString right = comparison_ ? side_title(*comparison_, comparison_->traced) : QStringLiteral("Traced");
  const QString unit = QLatin1Char(' ') + unit_.name;
  switch (section) {
    case kLine: return QStringLiteral("Line");
    case kEagerOps: return left + QStringLiteral(" ops");
    case kEagerTime: return left + unit;
    case kNodes:
      return comparison_ && comparison_->recorded ? right + QStringLiteral(" ops")
                                                  : QStringLiteral("Graph nodes");
    case kTracedTime: return right + unit;
    case kDifference: return QStringLiteral("Difference") + unit;
    case kGroup: return QStringLiteral("Group");
    default: return QStringLiteral("Why");
  }
}

}  // namespace footlight::app
