// Formats durations, byte counts, signatures and file names.
#include "app/models/text.h"

#include "engine/base/markdown_text.h"
#include "engine/base/text.h"

#include <QDateTime>
#include <QFileInfo>
#include <QLocale>

#include <cmath>

namespace footlight::app {
namespace {

QString short_dtype(const QString& name) {
  static const std::pair<const char*, const char*> table[] = {
      {"bfloat16", "bf16"}, {"float16", "f16"}, {"float32", "f32"}, {"float64", "f64"}, {"int8", "i8"},
      {"int16", "i16"},     {"int32", "i32"},   {"int64", "i64"},   {"uint8", "u8"},    {"uint16", "u16"},
      {"uint32", "u32"},    {"uint64", "u64"},  {"complex64", "c64"}, {"complex128", "c128"}, {"string", "str"}};
  for (const auto& [from, to] : table) {
    if (name == QLatin1String(from)) return QString::fromLatin1(to);
  }
  return name;
}

}  // namespace

QString three_digits(double value) {
  const double size = std::abs(value);
  return QString::number(value, 'f', size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

QString duration_text(int64_t ns) {
  // Values that round to a thousand of one unit use the next unit.
  const double value = std::abs(static_cast<double>(ns));
  const QString sign = ns < 0 ? QStringLiteral("-") : QString();
  if (value < 1e3) return sign + QString::number(static_cast<qint64>(value)) + QStringLiteral(" ns");
  if (value < 999.5e3) return sign + three_digits(value / 1e3) + QStringLiteral(" us");
  if (value < 999.5e6) return sign + three_digits(value / 1e6) + QStringLiteral(" ms");
  return sign + three_digits(value / 1e9) + QStringLiteral(" s");
}

QString bytes_text(uint64_t bytes) { return q(footlight::bytes_text(bytes)); }

QString flops_text(uint64_t flops) {
  if (flops < 1000) return QString::number(flops);
  const char* units[] = {"k", "M", "G", "T", "P"};
  double value = static_cast<double>(flops) / 1000;
  int unit = 0;
  while (value >= 1000 && unit < 4) value /= 1000, ++unit;
  return QString::number(value, 'f', 1) + QLatin1Char(' ') + QLatin1String(units[unit]);
}

QString share_text(int64_t part, int64_t whole) {
  if (part <= 0 || whole <= 0) return {};
  const double percent = 100 * static_cast<double>(part) / static_cast<double>(whole);
  return (percent < 0.5 ? QStringLiteral("<1") : QString::number(percent, 'f', 0)) + QStringLiteral(" %");
}

QString rate_text(uint64_t flops, int64_t ns) {
  const double rate = ns > 0 ? static_cast<double>(flops) / static_cast<double>(ns) : 0;
  return QString::number(rate, 'f', rate < 10 ? 2 : 1);
}

QString count_text(uint64_t count) {
  return QLocale(QLocale::English, QLocale::UnitedStates).toString(static_cast<qulonglong>(count));
}

QString counted(uint64_t count, const char* one, const char* many) {
  return count_text(count) + QLatin1Char(' ') + QString::fromUtf8(count == 1 ? one : many);
}

QString capitalized(QString text) {
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  return text;
}

QString short_type(const QString& output) {
  const qsizetype open = output.indexOf(QLatin1Char('('));
  if (open < 0) return short_dtype(output.trimmed());
  const qsizetype close = output.lastIndexOf(QLatin1Char(')'));
  QString inner = output.mid(open + 1, close > open ? close - open - 1 : -1);
  inner.remove(QLatin1Char(' '));
  if (inner.endsWith(QLatin1Char(','))) inner.chop(1);
  const QString dtype = short_dtype(output.left(open).trimmed());
  return dtype + QLatin1Char('[') + inner + QLatin1Char(']');
}

QString shape_only(const QString& output) {
  const qsizetype open = output.indexOf(QLatin1Char('('));
  const qsizetype close = output.lastIndexOf(QLatin1Char(')'));
  if (open < 0 || close < open) return {};
  QString inner = output.mid(open + 1, close - open - 1);
  inner.remove(QLatin1Char(' '));
  if (inner.endsWith(QLatin1Char(','))) inner.chop(1);
  if (inner.isEmpty()) return QStringLiteral("scalar");
  return inner.replace(QLatin1Char(','), QChar(0xd7)).replace(QStringLiteral("None"), QStringLiteral("?"));
}

QString short_number(const QString& text) {
  if (text.size() <= 9) return text;
  bool number = false;
  text.toDouble(&number);
  const qsizetype dot = text.indexOf(QLatin1Char('.'));
  if (!number || dot < 0 || text.contains(QLatin1Char('e'))) return text;
  // Three significant digits after the point.
  qsizetype stop = dot + 1;
  while (stop < text.size() && text[stop] == QLatin1Char('0')) ++stop;
  return stop + 3 < text.size() ? text.left(stop + 3) + QChar(0x2026) : text;
}

QString file_name(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return q(slash == std::string::npos ? path : path.substr(slash + 1));
}

QString clock_text(int64_t ns) {
  if (ns <= 0) return {};
  return QDateTime::fromMSecsSinceEpoch(ns / 1'000'000).toString(QStringLiteral("HH:mm:ss"));
}

QString run_clock(const QString& path, int64_t started_ns) {
  const QDateTime named =
      QDateTime::fromString(QFileInfo(path).completeBaseName().left(15), QStringLiteral("yyyyMMdd-HHmmss"));
  return named.isValid() ? named.toString(QStringLiteral("HH:mm:ss")) : clock_text(started_ns);
}

QString plain_tip(const QString& text) {
  if (!text.contains(QLatin1Char('<')) && !text.contains(QLatin1Char('&'))) return text;
  return QStringLiteral("<p style='white-space:pre-wrap'>") + text.toHtmlEscaped() + QStringLiteral("</p>");
}

QString beginning_of(const QString& text, qsizetype most) {
  if (text.size() <= most) return text;
  // Half of a pair of surrogates is no character.
  const qsizetype end = text[most - 1].isHighSurrogate() ? most - 1 : most;
  QString shown = text.left(end) + QChar(0x2026);
  if (most >= kMaxShownText)
    shown += QString::fromUtf8("\n(%1 more characters, which “Copy as Markdown” in the inspector has)")
                 .arg(count_text(static_cast<uint64_t>(text.size() - end)));
  return shown;
}

QString joined(const std::vector<std::string>& parts, const char* between) {
  QString text;
  for (const std::string& part : parts) {
    if (!text.isEmpty()) text += QString::fromUtf8(between);
    text += q(part);
  }
  return text;
}

QString markdown_words(const QString& text, bool in_cell) {
  return q(footlight::markdown_words(text.toStdString(), in_cell));
}
QString markdown_code(const QString& text) { return q(footlight::markdown_code(text.toStdString())); }
QString markdown_block(const char* language, const QString& lines) {
  return q(footlight::markdown_block(language, lines.toStdString()));
}

}  // namespace footlight::app
