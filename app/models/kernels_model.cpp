// Arranges the rows, chooses the units and formats the cells.
#include "app/models/kernels_model.h"

#include "app/models/text.h"
#include "app/models/traces_model.h"

#include <algorithm>

namespace footlight::app {
namespace {

double mean(const query::DeviceSum& sum) {
  return sum.count ? static_cast<double>(sum.total_ns) / static_cast<double>(sum.count) : 0;
}
bool is_text(int column) { return column == KernelsModel::kName || column == KernelsModel::kKind; }

}  // namespace

QString device_kind_word(const std::string& kind) {
  if (kind == "kernel") return QStringLiteral("Kernel");
  if (kind == "memcpy") return QStringLiteral("Copy");
  if (kind == "memset") return QStringLiteral("Fill");
  if (kind == "runtime" || kind == "driver") return QStringLiteral("API call");
  if (kind == "overhead") return QStringLiteral("Overhead");
  return kind == "sync" ? QStringLiteral("Synchronization") : q(kind);
}

void KernelsModel::set(std::vector<query::DeviceSum> sums) {
  beginResetModel();
  sums_ = std::move(sums);
  device_ns_ = 0;
  std::vector<int64_t> totals, means, least, most;
  std::vector<uint64_t> bytes, rates;
  for (const query::DeviceSum& sum : sums_) {
    if (sum.on_device) device_ns_ += sum.total_ns;
    totals.push_back(sum.total_ns);
    means.push_back(static_cast<int64_t>(mean(sum)));
    least.push_back(sum.least_ns);
    most.push_back(sum.most_ns);
    bytes.push_back(sum.bytes);
    rates.push_back(static_cast<uint64_t>(std::min(9e18, sum.bytes_per_second())));
  }
  total_ = time_unit(totals);
  mean_ = time_unit(means);
  min_ = time_unit(least);
  max_ = time_unit(most);
  bytes_ = byte_unit(bytes);
  rate_ = byte_unit(rates);
  rate_.name += QStringLiteral("/s");
  arrange();
  endResetModel();
}

void KernelsModel::set_filter(const QString& text) {
  beginResetModel();
  filter_ = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  arrange();
  endResetModel();
}

void KernelsModel::arrange() {
  shown_.clear();
  for (size_t i = 0; i < sums_.size(); ++i) {
    const QString name = q(sums_[i].name), kind = device_kind_word(sums_[i].kind);
    if (std::all_of(filter_.begin(), filter_.end(), [&](const QString& part) {
          return name.contains(part, Qt::CaseInsensitive) || kind.contains(part, Qt::CaseInsensitive);
        }))
      shown_.push_back(i);
  }
  const auto less = [&](size_t a, size_t b) {
    const query::DeviceSum &x = sums_[a], &y = sums_[b];
    switch (sorted_by_) {
      case kName: return x.name < y.name;
      case kKind: return device_kind_word(x.kind) < device_kind_word(y.kind);
      case kCount: return x.count < y.count;
      case kMean: return mean(x) < mean(y);
      case kMin: return x.least_ns < y.least_ns;
      case kMax: return x.most_ns < y.most_ns;
      case kBytes: return x.bytes < y.bytes;
      case kRate: return x.bytes_per_second() < y.bytes_per_second();
      case kShare: return std::pair(x.on_device, x.total_ns) < std::pair(y.on_device, y.total_ns);
      default: return x.total_ns < y.total_ns;
    }
  };
  std::stable_sort(shown_.begin(), shown_.end(), [&](size_t a, size_t b) {
    // Work of the device comes before the calls that asked for it, unless another order is wanted.
    if (sorted_by_ == kTotal && order_ == Qt::DescendingOrder && sums_[a].on_device != sums_[b].on_device)
      return sums_[a].on_device;
    return order_ == Qt::AscendingOrder ? less(a, b) : less(b, a);
  });
}

void KernelsModel::sort(int column, Qt::SortOrder order) {
  if (column < 0 || column >= kColumns) return;
  Q_EMIT layoutAboutToBeChanged();
  const QModelIndexList before = persistentIndexList();
  std::vector<query::DeviceName> names;
  for (const QModelIndex& index : before) names.push_back(*at(index.row()));
  sorted_by_ = column;
  order_ = order;
  arrange();
  for (qsizetype i = 0; i < before.size(); ++i)
    changePersistentIndex(before[i], index(row_of(names[static_cast<size_t>(i)]), before[i].column()));
  Q_EMIT layoutChanged();
}

void KernelsModel::sort_by(int column) {
  const Qt::SortOrder usual = is_text(column) ? Qt::AscendingOrder : Qt::DescendingOrder;
  const Qt::SortOrder other = is_text(column) ? Qt::DescendingOrder : Qt::AscendingOrder;
  sort(column, sorted_by_ == column && order_ == usual ? other : usual);
  Q_EMIT headerDataChanged(Qt::Horizontal, 0, kColumns - 1);
}

const query::DeviceSum* KernelsModel::at(int row) const {
  return row >= 0 && static_cast<size_t>(row) < shown_.size() ? &sums_[shown_[static_cast<size_t>(row)]] : nullptr;
}

int KernelsModel::row_of(const query::DeviceName& name) const {
  const auto it = std::find_if(shown_.begin(), shown_.end(),
                               [&](size_t i) { return static_cast<const query::DeviceName&>(sums_[i]) == name; });
  return it == shown_.end() ? -1 : static_cast<int>(it - shown_.begin());
}

std::vector<query::DeviceName> KernelsModel::names() const {
  std::vector<query::DeviceName> all;
  for (const size_t i : shown_) all.push_back(sums_[i]);
  return all;
}

QString KernelsModel::sentence() const {
  uint64_t kinds[2] = {}, times[2] = {};  // index 0: calls of the API; 1: work on devices
  for (const query::DeviceSum& sum : sums_) {
    if (!sum.on_device && sum.kind != "runtime" && sum.kind != "driver") continue;
    ++kinds[sum.on_device], times[sum.on_device] += sum.count;
  }
  if (!kinds[0] && !kinds[1]) return QStringLiteral("No device worked in this time.");
  QStringList parts;
  if (kinds[1])
    parts << counted(kinds[1], "kernel, copy or fill ran ", "kernels, copies and fills ran ") +
                 counted(times[1], "time", "times") + QStringLiteral(" for ") + duration_text(device_ns_);
  if (kinds[0])
    parts << counted(kinds[0], "API function was called ", "API functions were called ") +
                 counted(times[0], "time", "times");
  return parts.join(QStringLiteral("; "));
}

int KernelsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}
int KernelsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

QVariant KernelsModel::data(const QModelIndex& index, int role) const {
  const query::DeviceSum* row = index.isValid() ? at(index.row()) : nullptr;
  if (!row) return {};
  if (role == TracesModel::kMono) return true;
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((is_text(index.column()) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole && index.column() == kName) return plain_tip(q(row->name));
  if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) return {};
  const auto time = [](const ColumnUnit& unit, int64_t ns) { return unit.text(static_cast<double>(ns)); };
  switch (index.column()) {
    case kName: return q(row->name);
    case kKind: return device_kind_word(row->kind);
    case kCount: return count_text(row->count);
    case kTotal: return time(total_, row->total_ns);
    case kShare: return row->on_device ? share_text(row->total_ns, device_ns_) : QString();
    case kMean: return mean_.text(mean(*row));
    case kMin: return time(min_, row->least_ns);
    case kMax: return time(max_, row->most_ns);
    case kBytes: return bytes_.text(static_cast<double>(row->bytes));
    default: return rate_.text(row->bytes_per_second());
  }
}

QVariant KernelsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>((is_text(section) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole && section == kShare)
    return QStringLiteral("Of the time of all kernels, copies and fills in this range");
  if (role != Qt::DisplayRole) return {};
  const auto heading = [&]() -> QString {
    switch (section) {
      case kName: return QStringLiteral("Kernel or call");
      case kKind: return QStringLiteral("Kind");
      case kCount: return QStringLiteral("Count");
      case kTotal: return total_.heading("Total");
      case kShare: return QStringLiteral("Share");
      case kMean: return mean_.heading("Mean");
      case kMin: return min_.heading("Min");
      case kMax: return max_.heading("Max");
      case kBytes: return bytes_.heading("Bytes");
      case kRate: return rate_.name;
      default: return {};
    }
  };
  if (section != sorted_by_) return heading();
  return heading() + QString::fromUtf8(order_ == Qt::DescendingOrder ? " \u2193" : " \u2191");
}

}  // namespace footlight::app
