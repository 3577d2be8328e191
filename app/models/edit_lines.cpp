// Finds what two texts have in common, line by line.
#include "app/models/edit_lines.h"

#include <QStringList>

#include <algorithm>

namespace footlight::app {

namespace {

constexpr qsizetype kMaxAligned = 600;  // lines that are aligned one by one

// The longest common subsequence of the lines: of each old line the new one that it stays as, or -1.
std::vector<qsizetype> aligned(const QStringList& was, const QStringList& is) {
  std::vector<qsizetype> same(static_cast<size_t>(was.size()), -1);
  if (was.size() > kMaxAligned || is.size() > kMaxAligned) return same;
  const auto width = static_cast<size_t>(is.size()) + 1;
  std::vector<int> longest((static_cast<size_t>(was.size()) + 1) * width, 0);
  const auto at = [&](qsizetype i, qsizetype k) -> int& {
    return longest[static_cast<size_t>(i) * width + static_cast<size_t>(k)];
  };
  for (qsizetype i = was.size(); i-- > 0;)
    for (qsizetype k = is.size(); k-- > 0;)
      at(i, k) = was[i] == is[k] ? at(i + 1, k + 1) + 1 : std::max(at(i + 1, k), at(i, k + 1));
  for (qsizetype i = 0, k = 0; i < was.size() && k < is.size();) {
    if (was[i] == is[k]) same[static_cast<size_t>(i++)] = k++;
    else if (at(i + 1, k) >= at(i, k + 1)) ++i;
    else ++k;
  }
  return same;
}

// Replaces equal lines far from a change by one that stands for them.
std::vector<EditLine> without_far_lines(const std::vector<EditLine>& lines, int around) {
  const auto near = [&](size_t at) {
    const size_t first = at - std::min(at, size_t(around)), end = std::min(lines.size(), at + size_t(around) + 1);
    for (size_t i = first; i < end; ++i)
      if (lines[i].kind != EditLine::kSame) return true;
    return false;
  };
  std::vector<EditLine> kept;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (near(i)) kept.push_back(lines[i]);
    else if (!kept.empty() && kept.back().number) kept.push_back({EditLine::kSame, 0, QString::fromUtf8("⋯")});
  }
  if (!kept.empty() && !kept.back().number) kept.pop_back();
  return kept;
}

}  // namespace

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
  const qsizetype old_end = was.size() - tail, new_end = is.size() - tail;
  const std::vector<qsizetype> same = aligned(was.mid(head, old_end - head), is.mid(head, new_end - head));
  for (qsizetype i = head, k = head; i < old_end || k < new_end;) {
    const qsizetype first = i;
    while (i < old_end && same[static_cast<size_t>(i - head)] < 0) add(EditLine::kGone, was, i++);
    const qsizetype until = i < old_end ? head + same[static_cast<size_t>(i - head)] : new_end;
    while (k < until) add(EditLine::kNew, is, k++);
    if (i < old_end) add(EditLine::kSame, was, i++), ++k;
    if (i == first && k >= new_end) break;
  }
  for (qsizetype i = old_end; i < std::min(was.size(), old_end + around); ++i) add(EditLine::kSame, was, i);
  return without_far_lines(lines, around);
}

std::vector<EditLine> dedented(std::vector<EditLine> lines) {
  const auto indent = [](const QString& text) {
    qsizetype n = 0;
    while (n < text.size() && text[n] == QLatin1Char(' ')) ++n;
    return n;
  };
  qsizetype least = -1;
  for (const EditLine& line : lines)
    if (line.number && !line.text.trimmed().isEmpty())
      least = least < 0 ? indent(line.text) : std::min(least, indent(line.text));
  for (EditLine& line : lines)
    if (line.number) line.text = line.text.mid(std::max<qsizetype>(0, least));
  return lines;
}

QString as_patch(const QString& path, const std::vector<EditLine>& lines) {
  if (lines.empty()) return {};
  QString patch = QStringLiteral("--- %1\n+++ %1\n").arg(path);
  int longer = 0;  // number of lines that earlier parts added to the new text
  for (size_t from = 0; from < lines.size();) {
    int gone = 0, come = 0;
    QString body;
    size_t to = from;
    for (; to < lines.size() && lines[to].number; ++to) {
      gone += lines[to].kind != EditLine::kNew;
      come += lines[to].kind != EditLine::kGone;
      body += QLatin1Char(lines[to].kind) + lines[to].text + QLatin1Char('\n');
    }
    const int first = lines[from].number;
    patch += QStringLiteral("@@ -%1,%2 +%3,%4 @@\n").arg(first).arg(gone).arg(first + longer).arg(come) + body;
    longer += come - gone;
    from = to + 1;
  }
  return patch;
}

}  // namespace footlight::app
