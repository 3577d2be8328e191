// Splits console records into lines and finds source locations in them.
#include "app/models/console_model.h"

#include "app/models/text.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace footlight::app {
namespace {

constexpr qsizetype kLongestLine = 4000;
constexpr size_t kMaxLineBytes = 64 << 10;  // many of these bytes may be colour codes

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

// Nothing, if the document has been replaced since.
ConsolePiece piece_at(const Document& document, size_t record, size_t at) {
  if (record >= document.console.size()) return {};
  ConsolePiece piece = document.console[record];
  piece.text.remove_prefix(std::min(at, piece.text.size()));
  return piece;
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

size_t ConsoleLines::take(const Document& document, size_t most) {
  size_t changed = starts_.size();
  for (size_t bytes = 0; taken_ < document.console.size() && bytes < most;) {
    const ConsolePiece piece = document.console[taken_];
    OpenLine& open = open_[static_cast<size_t>(piece.stream) & 3];
    const bool whole = piece.stream == session::ConsoleStream::kNote;
    size_t at = taken_bytes_;
    while (at < piece.text.size() || (whole && at == 0)) {
      if (bytes >= most && at > taken_bytes_) break;
      const size_t stop = piece.text.find('\n', at);
      const size_t end = std::min(stop, piece.text.size());
      const Start start{static_cast<uint32_t>(taken_), static_cast<uint32_t>(at)};
      if (open.number < 0) {
        open = {static_cast<ptrdiff_t>(starts_.size()), 0};
        starts_.push_back(start);
      } else {
        // The window shows only the beginning of a long line, so the rest is not kept.
        if (open.bytes < kMaxLineBytes) rests_[static_cast<size_t>(open.number)].push_back(start);
        changed = std::min(changed, static_cast<size_t>(open.number));
      }
      open.bytes += end - at;
      bytes += end - at + 1;
      if (stop != piece.text.npos || whole) open.number = -1;
      at = end + 1;
    }
    if (at < piece.text.size()) {
      taken_bytes_ = at;
    } else {
      taken_bytes_ = 0;
      ++taken_;
    }
  }
  return changed;
}

session::ConsoleStream ConsoleLines::stream(const Document& document, size_t number) const {
  const Start start = starts_[number];
  return start.record == kNoted ? session::ConsoleStream::kNote : piece_at(document, start.record, start.at).stream;
}

QString ConsoleLines::text(const Document& document, size_t number) const {
  const Start first = starts_[number];
  if (first.record == kNoted) return notes_[first.at];
  std::string bytes;
  const auto take_from = [&](const Start& start) {
    const std::string_view rest = piece_at(document, start.record, start.at).text;
    bytes += rest.substr(0, std::min(rest.find('\n'), kMaxLineBytes - bytes.size()));
  };
  take_from(first);
  if (const auto more = rests_.find(number); more != rests_.end())
    for (const Start& start : more->second) take_from(start);
  return plain(q(bytes)).left(kLongestLine);
}

ConsoleLine ConsoleLines::line(const Document& document, size_t number) const {
  ConsoleLine line;
  line.stream = stream(document, number);
  line.text = text(document, number);
  line.links = find_links(line.text);
  const Start first = starts_[number];
  if (first.record == kNoted || document.run.started_ns <= 0) return line;
  const int64_t since = piece_at(document, first.record, first.at).time_ns - document.run.started_ns;
  if (since >= 0) line.stamp = QString::number(static_cast<double>(since) / 1e9, 'f', 2);
  return line;
}

void ConsoleLines::note(const QString& text) {
  for (const QString& part : text.split(QLatin1Char('\n'))) {
    starts_.push_back({kNoted, static_cast<uint32_t>(notes_.size())});
    notes_.push_back(plain(part));
  }
}

}  // namespace footlight::app
