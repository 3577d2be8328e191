// Three digits where a number stands alone, the same number of decimals where it stands in a column.
#include "app/models/compare_units.h"

#include "app/models/text.h"

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

TimeUnit unit_for(double largest_ns) {
  const double size = std::abs(largest_ns);
  TimeUnit unit = size < 1e3 ? TimeUnit{"ns", 1, 0} : size < 1e6 ? TimeUnit{"us", 1e3, 1}
                : size < 1e9 ? TimeUnit{"ms", 1e6, 1} : TimeUnit{"s", 1e9, 1};
  if (unit.ns > 1 && size / unit.ns < 9.995) unit.decimals = 2;
  return unit;
}

TimeUnit unit_for(double largest_ns, double least_ns) {
  TimeUnit unit = unit_for(largest_ns);
  if (unit.ns == 1 || least_ns <= 0) return unit;
  const int wanted = 1 - static_cast<int>(std::floor(std::log10(least_ns / unit.ns)));
  unit.decimals = std::clamp(wanted, unit.decimals, static_cast<int>(std::log10(unit.ns)));
  return unit;
}

QString column_text(double ns, const TimeUnit& unit) {
  const QString text = QString::number(ns / unit.ns, 'f', unit.decimals);
  return text.toDouble() == 0 ? QString(text).remove(QLatin1Char('-')) : text;
}

QString change_text(double ns, const TimeUnit& unit) {
  const double value = ns / unit.ns;
  if (std::abs(value) < 0.005) return QStringLiteral("0");
  return with_sign(unit.ns == 1 ? QString::number(value, 'f', 0) : three_digits(value), value);
}

QString column_change_text(double ns, const TimeUnit& unit) {
  return with_sign(QString::number(ns / unit.ns, 'f', unit.decimals), ns);
}

QString time_words(double ns) { return duration_text(std::llround(ns)); }

}  // namespace footlight::app
