// The greatest number of a column decides the unit, the least one how many decimals are shown.
#include "app/models/column_unit.h"

#include <algorithm>
#include <cmath>

namespace footlight::app {
namespace {

constexpr int kMaxDecimals = 3;

struct Step {
  const char* name;
  double scale;
};

constexpr std::initializer_list<Step> kTimes = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

// `whole`: values are whole numbers of the first step, and need no decimals there.
ColumnUnit choose(double least, double greatest, std::initializer_list<Step> steps, bool whole) {
  ColumnUnit unit;
  const Step* chosen = steps.begin();
  for (const Step& step : steps) {
    if (greatest >= step.scale) chosen = &step;
  }
  unit.name = QString::fromLatin1(chosen->name);
  unit.scale = chosen->scale;
  if (whole && chosen == steps.begin()) return unit;
  // Two digits of the least number, as far as that goes.
  const double small = least / unit.scale;
  unit.decimals = small <= 0 ? 1 : std::clamp(1 - static_cast<int>(std::floor(std::log10(small))), 1, kMaxDecimals);
  return unit;
}

}  // namespace

QString ColumnUnit::text(double value) const {
  if (value == 0) return {};
  const double shown = value / scale;
  const double least = std::pow(10.0, -decimals);
  if (std::abs(shown) < least / 2) return QLatin1Char('<') + QString::number(least, 'f', decimals);
  QString text = QString::number(std::abs(shown), 'f', decimals);
  const qsizetype point = text.indexOf(QLatin1Char('.'));
  for (qsizetype at = (point < 0 ? text.size() : point) - 3; at > 0; at -= 3) text.insert(at, QLatin1Char(','));
  return shown < 0 ? QLatin1Char('-') + text : text;
}

QString ColumnUnit::heading(const QString& column) const {
  return name.isEmpty() ? column : column + QStringLiteral(", ") + name;
}

ColumnUnit time_unit_of(double largest_ns) {
  ColumnUnit unit = choose(0, largest_ns, kTimes, true);
  unit.decimals = 0;
  return unit;
}

ColumnUnit unit_for_all(Unit unit, const std::vector<double>& values) {
  double least = 0, greatest = 0;
  for (const double value : values) {
    if (value <= 0) continue;
    least = least > 0 ? std::min(least, value) : value;
    greatest = std::max(greatest, value);
  }
  switch (unit) {
    case Unit::kTime: return choose(least, greatest, kTimes, true);
    case Unit::kBytes:
      return choose(least, greatest, {{"B", 1}, {"KB", 1024}, {"MB", 1048576.0}, {"GB", 1073741824.0}}, true);
    case Unit::kThousands:
      return choose(least, greatest, {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}}, true);
    case Unit::kHundredths: return {QString(), 1, 2};
    default: return {};
  }
}

}  // namespace footlight::app
