// Three digits where a number stands alone, the same number of decimals where it stands in a column.
#include "app/models/compare_units.h"

#include "app/models/text.h"

#include "engine/explain/compare/text.h"

#include <algorithm>
#include <cmath>

namespace footlight::app {
namespace {

// Makes zero of a number that is shown as zero, so that it gets no sign.
double as_shown(double value, int decimals) { return std::abs(value) < 0.5 * std::pow(10.0, -decimals) ? 0 : value; }

QString plus(double value) { return value > 0 ? QStringLiteral("+") : QString(); }

}  // namespace

ColumnUnit unit_for(double largest_ns) {
  ColumnUnit unit = time_unit_of(std::abs(largest_ns));
  if (unit.scale > 1) unit.decimals = std::abs(largest_ns) / unit.scale < 9.995 ? 2 : 1;
  return unit;
}

ColumnUnit unit_for(double largest_ns, double least_ns) {
  ColumnUnit unit = unit_for(largest_ns);
  if (unit.scale == 1 || least_ns <= 0) return unit;
  const int wanted = 1 - static_cast<int>(std::floor(std::log10(least_ns / unit.scale)));
  unit.decimals = std::clamp(wanted, unit.decimals, static_cast<int>(std::log10(unit.scale)));
  return unit;
}

QString column_text(double ns, const ColumnUnit& unit) {
  return QString::number(as_shown(ns / unit.scale, unit.decimals), 'f', unit.decimals);
}

QString change_text(double ns, const ColumnUnit& unit) {
  const double value = as_shown(ns / unit.scale, unit.scale == 1 ? 0 : 2);
  if (value == 0) return QStringLiteral("0");
  return plus(value) + (unit.scale == 1 ? QString::number(value, 'f', 0) : three_digits(value));
}

QString column_change_text(double ns, const ColumnUnit& unit) {
  return plus(as_shown(ns / unit.scale, unit.decimals)) + column_text(ns, unit);
}

QString time_words(double ns) { return q(explain::time_text(ns)); }  // the same form as in sentences

}  // namespace footlight::app
