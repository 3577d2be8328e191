// The columns of the table of devices' work, and the sentence above it.
#include "app/models/kernels_model.h"

namespace footlight::app {
namespace {

using query::DeviceSum;

// "Kernel", "Copy", "Fill", "API call".
QString kind_word(const DeviceSum& sum) {
  const std::string& kind = sum.kind;
  if (kind == "kernel") return QStringLiteral("Kernel");
  if (kind == "memcpy") return QStringLiteral("Copy");
  if (kind == "memset") return QStringLiteral("Fill");
  if (kind == "runtime" || kind == "driver") return QStringLiteral("API call");
  if (kind == "overhead") return QStringLiteral("Overhead");
  return kind == "sync" ? QStringLiteral("Synchronization") : q(kind);
}

double mean(const DeviceSum& sum) {
  return sum.count ? static_cast<double>(sum.whole_ns) / static_cast<double>(sum.count) : 0;
}

}  // namespace

KernelsModel::KernelsModel(QObject* parent) : TableOf(parent) {
  // Work of the device comes before the calls that asked for it, unless another order is wanted.
  const auto device_first = [](const DeviceSum& sum) { return Cell(sum.total_ns, sum.on_device ? 2 : 1); };
  set_columns({
      {.name = "Kernel or call", .value = &DeviceSum::name, .tip = [](const DeviceSum& sum) { return q(sum.name); }},
      {.name = "Kind", .value = kind_word},
      {.name = "Count", .value = &DeviceSum::count, .unit = Unit::kCount,
       .title_tip = "With those that an edge of this range cuts: their whole times and bytes count in the columns from "
                    "Mean on"},
      {.name = "Total", .value = &DeviceSum::total_ns, .unit = Unit::kTime,
       .key = [this, device_first](const DeviceSum& sum) {
         return order_ == Qt::DescendingOrder ? device_first(sum) : Cell(sum.total_ns);
       }},
      {.name = "Share", .unit = Unit::kNumber,
       .text = [this](const DeviceSum& sum) {
         return sum.on_device ? share_text(sum.total_ns, device_ns_) : QString();
       },
       .key = device_first, .title_tip = "Of the time of all kernels, copies and fills in this range"},
      {.name = "Mean", .value = mean, .unit = Unit::kTime},
      {.name = "Min", .value = &DeviceSum::least_ns, .unit = Unit::kTime},
      {.name = "Max", .value = &DeviceSum::most_ns, .unit = Unit::kTime},
      {.name = "Bytes", .value = &DeviceSum::bytes, .unit = Unit::kBytes},
      {.name = "Rate", .value = &DeviceSum::bytes_per_second, .unit = Unit::kBytes,
       .title = [](const ColumnUnit& unit) { return unit.name + "/s"; }},
  });
  sorted_by_ = column("Total");
  order_ = Qt::DescendingOrder;
}

void KernelsModel::set(std::vector<DeviceSum> sums) {
  reset([&] {
    sums_ = std::move(sums);
    device_ns_ = 0;
    for (const DeviceSum& sum : sums_) device_ns_ += sum.on_device ? sum.total_ns : 0;
  });
}

int KernelsModel::row_of(const query::DeviceName& name) const {
  return find([&](const query::DeviceName& one) { return one == name; });
}

std::vector<query::DeviceName> KernelsModel::names_shown() const {
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

}  // namespace footlight::app
