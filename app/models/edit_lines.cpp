// Finds what two texts have in common at their beginning and at their end.
#include "app/models/edit_lines.h"

#include <QStringList>

#include <algorithm>

namespace footlight::app {

std::vector<EditLine> edit_lines(const QString& before, const QString& after, int around) {
  if (before == after) return {};
  const QStringList was = before.split(QLatin1Char('\n')), is = after.split(QLatin1Char('\n'));
  const qsizetype shorter = std::min(was.size(), is.size());
  qsizetype head = 0, tail = 0;
  while (head < shorter && was[head] == is[head]) ++head;
  while (tail < shorter - head && was[was.size() - 1 - tail] == is[is.size() - 1 - tail]) ++tail;
  std::vector<EditLine> lines;
  const auto add = [&](EditLine::Kind kind, const QStringList& from, qsizetype at) {
    lines.push_back({kind, static_cast<int>(at) + 1, from[at]});
  };
  for (qsizetype i = std::max<qsizetype>(0, head - around); i < head; ++i) add(EditLine::kSame, was, i);
  for (qsizetype i = head; i < was.size() - tail; ++i) add(EditLine::kGone, was, i);
  for (qsizetype i = head; i < is.size() - tail; ++i) add(EditLine::kNew, is, i);
  for (qsizetype i = was.size() - tail; i < std::min(was.size(), was.size() - tail + around); ++i)
    add(EditLine::kSame, was, i);
  return lines;
}

std::vector<EditLine> dedented(std::vector<EditLine> lines) {
  const auto indent = [](const QString& text) {
    qsizetype n = 0;
    while (n < text.size() && text[n] == QLatin1Char(' ')) ++n;
    return n;
  };
  qsizetype least = -1;
  for (const EditLine& line : lines)
    if (!line.text.trimmed().isEmpty()) least = least < 0 ? indent(line.text) : std::min(least, indent(line.text));
  for (EditLine& line : lines) line.text = line.text.mid(std::max<qsizetype>(0, least));
  return lines;
}

QString as_patch(const QString& path, const std::vector<EditLine>& lines) {
  if (lines.empty()) return {};
  int gone = 0, come = 0;
  QString body;
  for (const EditLine& line : lines) {
    gone += line.kind != EditLine::kNew;
    come += line.kind != EditLine::kGone;
    body += QLatin1Char(line.kind) + line.text + QLatin1Char('\n');
  }
  const auto number = [](int n) { return QString::number(n); };
  return QStringLiteral("--- %1\n+++ %1\n@@ -%2,%3 +%2,%4 @@\n")
             .arg(path, number(lines.front().number), number(gone), number(come)) +
         body;
}

}  // namespace footlight::app
