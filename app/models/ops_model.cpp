// Arranges the rows, chooses the units and formats the cells.
#include "app/models/ops_model.h"

#include "app/models/text.h"
#include "app/models/traces_model.h"

#include <algorithm>

namespace footlight::app {
namespace {

double rate(const OpStatistics& row) {
  return row.computed > 0 ? static_cast<double>(row.flops) / static_cast<double>(row.computed) : 0;
}

}  // namespace

void OpsModel::set_statistics(RangeStatistics statistics) {
  beginResetModel();
  statistics_ = std::move(statistics);
  choose_units();
  arrange();
  endResetModel();
}

void OpsModel::set_filter(const QString& text) {
  beginResetModel();
  filter_ = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  arrange();
  endResetModel();
}

void OpsModel::sort(int column, Qt::SortOrder order) {
  if (column < 0 || column >= kColumns) return;
  Q_EMIT layoutAboutToBeChanged();
  const QModelIndexList before = persistentIndexList();
  std::vector<uint64_t> keys;
  for (const QModelIndex& index : before) keys.push_back(at(index.row())->key);
  sorted_by_ = column;
  order_ = order;
  arrange();
  for (qsizetype i = 0; i < before.size(); ++i)
    changePersistentIndex(before[i], index(row_of(keys[static_cast<size_t>(i)]), before[i].column()));
  Q_EMIT layoutChanged();
}

void OpsModel::sort_by(int column) {
  const bool is_text = column == kName || column == kFamily;
  const Qt::SortOrder usual = is_text ? Qt::AscendingOrder : Qt::DescendingOrder;
  const Qt::SortOrder other = is_text ? Qt::DescendingOrder : Qt::AscendingOrder;
  sort(column, sorted_by_ == column && order_ == usual ? other : usual);
  Q_EMIT headerDataChanged(Qt::Horizontal, 0, kColumns - 1);
}

bool OpsModel::passes(const OpStatistics& row) const {
  return std::all_of(filter_.begin(), filter_.end(), [&](const QString& part) {
    return row.name.contains(part, Qt::CaseInsensitive) || q(row.family).contains(part, Qt::CaseInsensitive);
  });
}

void OpsModel::arrange() {
  const std::vector<OpStatistics>& rows = statistics_.rows;
  shown_.clear();
  for (size_t i = 0; i < rows.size(); ++i) {
    if (passes(rows[i])) shown_.push_back(i);
  }
  const auto less = [&](size_t a, size_t b) {
    const OpStatistics &x = rows[a], &y = rows[b];
    switch (sorted_by_) {
      case kName: return x.name.compare(y.name, Qt::CaseInsensitive) < 0;
      case kCount: return x.count < y.count;
      case kSelf: return x.self < y.self;
      case kMedian: return x.median < y.median;
      case kP95: return x.p95 < y.p95;
      case kGreatest: return x.greatest < y.greatest;
      case kBytes: return x.bytes < y.bytes;
      case kFlops: return x.flops < y.flops;
      case kRate: return rate(x) < rate(y);
      case kFamily: return x.family < y.family;
      default: return x.total < y.total;
    }
  };
  std::stable_sort(shown_.begin(), shown_.end(), [&](size_t a, size_t b) {
    return order_ == Qt::AscendingOrder ? less(a, b) : less(b, a);
  });
}

void OpsModel::choose_units() {
  const auto times = [&](int64_t OpStatistics::*member) {
    std::vector<int64_t> all;
    for (const OpStatistics& row : statistics_.rows) all.push_back(row.*member);
    return time_unit(all);
  };
  total_ = times(&OpStatistics::total);
  self_ = times(&OpStatistics::self);
  median_ = times(&OpStatistics::median);
  p95_ = times(&OpStatistics::p95);
  greatest_ = times(&OpStatistics::greatest);
  std::vector<uint64_t> bytes;
  std::vector<double> flops, rates;
  for (const OpStatistics& row : statistics_.rows) {
    bytes.push_back(row.bytes);
    flops.push_back(static_cast<double>(row.flops));
    rates.push_back(rate(row));
  }
  bytes_ = byte_unit(bytes);
  flops_ = number_unit(flops);
  rate_ = {QString(), 1, 2};
}

const OpStatistics* OpsModel::at(int row) const {
  return row >= 0 && static_cast<size_t>(row) < shown_.size() ? &statistics_.rows[shown_[static_cast<size_t>(row)]]
                                                              : nullptr;
}

int OpsModel::row_of(uint64_t key) const {
  const auto it = std::find_if(shown_.begin(), shown_.end(), [&](size_t i) { return statistics_.rows[i].key == key; });
  return it == shown_.end() ? -1 : static_cast<int>(it - shown_.begin());
}

std::vector<uint64_t> OpsModel::keys() const {
  std::vector<uint64_t> all;
  for (const size_t i : shown_) all.push_back(statistics_.rows[i].key);
  return all;
}

int OpsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}
int OpsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

QVariant OpsModel::data(const QModelIndex& index, int role) const {
  const OpStatistics* row = index.isValid() ? at(index.row()) : nullptr;
  if (!row) return {};
  const bool is_text = index.column() == kName || index.column() == kFamily;
  if (role == TracesModel::kMono) return true;
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((is_text ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole && index.column() == kName) return plain_tip(row->name);
  if (role == Qt::ToolTipRole && index.column() == kRate && row->kernels > 0)
    return QStringLiteral("In %1 of kernels on the GPU; its launches took %2").arg(
        duration_text(row->kernels), duration_text(row->total + row->kernels - row->computed));
  if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) return {};
  const auto time = [](const ColumnUnit& unit, int64_t ns) { return unit.text(static_cast<double>(ns)); };
  switch (index.column()) {
    case kName: return row->name;
    case kCount: return count_text(row->count);
    case kTotal: return time(total_, row->total);
    case kShare: return share_text(row->total, statistics_.total());
    case kSelf: return time(self_, row->self);
    case kMedian: return time(median_, row->median);
    case kP95: return time(p95_, row->p95);
    case kGreatest: return time(greatest_, row->greatest);
    case kBytes: return bytes_.text(static_cast<double>(row->bytes));
    case kFlops: return flops_.text(static_cast<double>(row->flops));
    case kRate: return rate_.text(rate(*row));
    default: return q(row->family);
  }
}

QVariant OpsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  const bool is_text = section == kName || section == kFamily;
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((is_text ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole && section == kShare)
    return QStringLiteral("Of the time of all ops in this range");
  if (role == Qt::ToolTipRole && section == kRate)
    return QStringLiteral("FLOPs by the time of the ops; where they ran on a GPU, by that of their kernels");
  if (role != Qt::DisplayRole) return {};
  const QString name = heading(section);
  if (section != sorted_by_) return name;
  return name + QString::fromUtf8(order_ == Qt::DescendingOrder ? " \u2193" : " \u2191");
}

QString OpsModel::heading(int section) const {
  const char* const about = statistics_.estimated ? "\u2248 " : "";
  const auto named = [&](const ColumnUnit& unit, const char* name) {
    return QString::fromUtf8(about) + unit.heading(name);
  };
  switch (section) {
    case kName: return group_name(statistics_.by);
    case kCount: return QStringLiteral("Count");
    case kTotal: return total_.heading("Total");
    case kShare: return QStringLiteral("Share");
    case kSelf: return self_.heading("Self");
    case kMedian: return named(median_, "Median");
    case kP95: return named(p95_, "P95");
    case kGreatest: return greatest_.heading("Max");
    case kBytes: return bytes_.heading("In + out");
    case kFlops: return flops_.name.isEmpty() ? QStringLiteral("FLOPs") : flops_.name + QStringLiteral("FLOP");
    case kRate: return QStringLiteral("GFLOP/s");
    case kFamily: return QStringLiteral("Family");
    default: return {};
  }
}

}  // namespace footlight::app
