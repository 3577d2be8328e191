// Splits console records into lines and finds source locations in them.
#include "app/models/console_model.h"

#include "app/models/text.h"

#include <algorithm>

namespace footlight::app {
namespace {

constexpr qsizetype kLongestLine = 4000;

bool path_character(QChar c) {
  return c.isLetterOrNumber() || c == QLatin1Char('/') || c == QLatin1Char('_') || c == QLatin1Char('-') ||
         c == QLatin1Char('.') || c == QLatin1Char('~') || c == QLatin1Char('+');
}

int number_at(const QString& text, qsizetype at, qsizetype& stop) {
  int value = 0;
  stop = at;
  while (stop < text.size() && text[stop].isDigit() && stop - at < 8) value = value * 10 + text[stop++].digitValue();
  return value;
}

}  // namespace

QString plain(const QString& text) {
  QString made;
  made.reserve(text.size());
  for (qsizetype i = 0; i < text.size(); ++i) {
    const QChar c = text[i];
    if (c == QChar(0x1b)) {
      // A control sequence ends with a letter.
      if (i + 1 < text.size() && text[i + 1] == QLatin1Char('[')) {
        i += 2;
        while (i < text.size() && !text[i].isLetter()) ++i;
      }
    } else if (c == QLatin1Char('\t')) {
      made += QStringLiteral("    ");
    } else if (c == QLatin1Char('\r')) {
      continue;
    } else if (c.unicode() < 0x20) {
      made += QChar(0xb7);
    } else {
      made += c;
    }
  }
  return made;
}

std::vector<ConsoleLink> find_links(const QString& text) {
  std::vector<ConsoleLink> found;
  const QString file = QStringLiteral("File \"");
  const QString line_word = QStringLiteral("\", line ");
  qsizetype at = 0;
  while ((at = text.indexOf(file, at)) >= 0) {
    const qsizetype from = at + file.size();
    const qsizetype stop = text.indexOf(line_word, from);
    if (stop < 0) break;
    qsizetype end = 0;
    const int line = number_at(text, stop + line_word.size(), end);
    if (line > 0)
      found.push_back({static_cast<int>(at), static_cast<int>(end - at), text.mid(from, stop - from), line});
    at = end > at ? end : at + 1;
  }
  if (!found.empty()) return found;
  at = 0;
  while ((at = text.indexOf(QStringLiteral(".py:"), at)) >= 0) {
    qsizetype from = at;
    while (from > 0 && path_character(text[from - 1])) --from;
    qsizetype end = 0;
    const int line = number_at(text, at + 4, end);
    if (line > 0 && from < at) {
      found.push_back({static_cast<int>(from), static_cast<int>(end - from), text.mid(from, at + 3 - from), line});
    }
    at += 4;
  }
  return found;
}

void ConsoleLines::clear() {
  taken_ = 0;
  lines_.clear();
  std::fill(std::begin(open_), std::end(open_), -1);
}

size_t ConsoleLines::take(const Document& document, size_t most) {
  size_t changed = lines_.size();
  for (size_t bytes = 0; taken_ < document.console.size() && bytes < most; ++taken_) {
    const session::ConsoleRecord& record = document.console[taken_];
    bytes += record.text.size() + 1;
    ptrdiff_t& open = open_[static_cast<size_t>(record.stream) & 3];
    const QString text = q(record.text);
    const bool whole = record.stream == session::ConsoleStream::kNote;
    qsizetype at = 0;
    while (at < text.size() || (whole && at == 0)) {
      const qsizetype stop = text.indexOf(QLatin1Char('\n'), at);
      const QString part = plain(text.mid(at, stop < 0 ? -1 : stop - at));
      if (open >= 0) {
        ConsoleLine& line = lines_[static_cast<size_t>(open)];
        line.text = (line.text + part).left(kLongestLine);
        line.links = find_links(line.text);
        changed = std::min(changed, static_cast<size_t>(open));
      } else {
        ConsoleLine line;
        line.stream = record.stream;
        line.text = part.left(kLongestLine);
        if (document.run.started_ns > 0 && record.time_ns >= document.run.started_ns) {
          line.stamp = QString::number(static_cast<double>(record.time_ns - document.run.started_ns) / 1e9, 'f', 2);
        }
        line.links = find_links(line.text);
        lines_.push_back(std::move(line));
        if (stop < 0 && !whole) open = static_cast<ptrdiff_t>(lines_.size()) - 1;
      }
      if (stop < 0) break;
      open = -1;
      at = stop + 1;
    }
  }
  return changed;
}

void ConsoleLines::note(const QString& text) {
  for (const QString& part : text.split(QLatin1Char('\n'))) {
    ConsoleLine line;
    line.stream = session::ConsoleStream::kNote;
    line.text = plain(part);
    line.links = find_links(line.text);
    lines_.push_back(std::move(line));
  }
}

}  // namespace footlight::app
