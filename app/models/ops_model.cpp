// The columns of the table of a range.
#include "app/models/ops_model.h"

namespace footlight::app {
namespace {

QString rate_tip(const OpStatistics& row) {
  if (row.kernels <= 0) return {};
  return QStringLiteral("In %1 of kernels on the GPU; its launches took %2")
      .arg(duration_text(row.kernels), duration_text(row.launches));
}

}  // namespace

OpsModel::OpsModel(QObject* parent) : TableOf(parent) {
  const auto estimated = [this](const char* name) {
    return [this, name](const ColumnUnit& unit) {
      return QString::fromUtf8(statistics_.estimated ? "\u2248 " : "") + unit.heading(QLatin1String(name));
    };
  };
  set_columns({
      {.name = "Name", .value = &OpStatistics::name, .title = [this](auto&) { return group_name(statistics_.by); },
       .key = [](const OpStatistics& row) { return row.name.toCaseFolded(); }, .tip = &OpStatistics::name},
      {.name = "Count", .value = &OpStatistics::count, .unit = Unit::kCount,
       .title_tip = "With the ops that an edge of this range cuts: their whole times, bytes and FLOPs count in the "
                    "columns from Median on"},
      {.name = "Total", .value = &OpStatistics::total, .unit = Unit::kTime, .title_tip = "Within this range"},
      {.name = "Share", .value = &OpStatistics::total, .unit = Unit::kNumber,
       .text = [this](const OpStatistics& row) { return share_text(row.total, statistics_.total()); },
       .title_tip = "Of the time of all ops in this range"},
      {.name = "Self", .value = &OpStatistics::self, .unit = Unit::kTime},
      {.name = "Median", .value = &OpStatistics::median, .unit = Unit::kTime, .title = estimated("Median")},
      {.name = "P95", .value = &OpStatistics::p95, .unit = Unit::kTime, .title = estimated("P95")},
      {.name = "Max", .value = &OpStatistics::greatest, .unit = Unit::kTime},
      {.name = "In + out", .value = &OpStatistics::bytes, .unit = Unit::kBytes},
      {.name = "FLOPs", .value = &OpStatistics::flops, .unit = Unit::kThousands,
       .title = [](const ColumnUnit& unit) { return unit.name.isEmpty() ? "FLOPs" : unit.name + "FLOP"; }},
      {.name = "GFLOP/s",
       .value = [](const OpStatistics& row) {
         return row.computed > 0 ? static_cast<double>(row.flops) / static_cast<double>(row.computed) : 0;
       },
       .unit = Unit::kHundredths, .tip = rate_tip,
       .title_tip = "FLOPs by the time of the ops; where they ran on a GPU, by that of their kernels"},
      {.name = "Family", .value = &OpStatistics::family},
  });
  sorted_by_ = column("Total");
  order_ = Qt::DescendingOrder;
}

void OpsModel::set_statistics(RangeStatistics statistics) {
  reset([&] { statistics_ = std::move(statistics); });
}

int OpsModel::row_of(uint64_t key) const {
  return find([key](const OpStatistics& row) { return row.key == key; });
}

std::vector<uint64_t> OpsModel::keys() const {
  std::vector<uint64_t> all;
  for (const size_t i : shown_) all.push_back(statistics_.rows[i].key);
  return all;
}

}  // namespace footlight::app
