// Three digits where a number stands alone, the same number of decimals where it stands in a column.
#include "app/models/compare_units.h"

#include "app/models/text.h"

#include "engine/explain/compare/text.h"

#include <algorithm>
#include <cmath>

namespace footlight::app {
namespace {

// "-0.0" is zero.
QString with_sign(const QString& text, double value) {
  if (text.toDouble() == 0) return QString(text).remove(QLatin1Char('-'));
  return value > 0 ? QLatin1Char('+') + text : text;
}

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
  const QString text = QString::number(ns / unit.scale, 'f', unit.decimals);
  return text.toDouble() == 0 ? QString(text).remove(QLatin1Char('-')) : text;
}

QString change_text(double ns, const ColumnUnit& unit) {
  const double value = ns / unit.scale;
  if (std::abs(value) < 0.005) return QStringLiteral("0");
  return with_sign(unit.scale == 1 ? QString::number(value, 'f', 0) : three_digits(value), value);
}

QString column_change_text(double ns, const ColumnUnit& unit) {
  return with_sign(QString::number(ns / unit.scale, 'f', unit.decimals), ns);
}

QString time_words(double ns) { return q(explain::time_text(ns)); }  // the same form as in sentences

}  // namespace footlight::app
