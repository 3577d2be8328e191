// Reads the last traceback of the console; without one, the recorded reason is shown.
#include "app/models/run_end.h"

#include "app/models/text.h"

namespace footlight::app {
namespace {

// A traceback that goes on for longer says nothing new.
constexpr size_t kLookedAt = 64 << 10;

std::string printed_traceback(const Document& document) {
  std::string text;
  for (size_t i = document.console.size(); i-- > 0 && text.size() < kLookedAt;) {
    const ConsolePiece piece = document.console[i];
    if (piece.stream != session::ConsoleStream::kStderr) continue;
    text.insert(0, piece.text.substr(piece.text.size() - std::min(piece.text.size(), kLookedAt)));
    if (!last_traceback(text).empty()) break;
  }
  return std::string(last_traceback(text));
}

}  // namespace

QString error_line(const std::string& error) { return q(shortened_error(error_words(error).text(), kMaxShownCell)); }

Place error_place(const Document& document, const ErrorWords& words) {
  if (!words.line) return {};
  const session::FileId file = document.file_named(words.file);
  return file.valid() ? Place{file, words.line} : Place();
}

QString with_capital(const QString& text) { return text.left(1).toUpper() + text.mid(1); }

QString shortened(const QString& text, qsizetype most) {
  return q(shortened_error(text.toStdString(), static_cast<size_t>(most)));
}

RunEnd run_end(const Document& document) {
  RunEnd end;
  if (!document.end) return end;
  end.is_known = true;
  end.is_good = document.end->exit_code == 0 && document.end->signal == 0;
  const std::string& reason = document.end->reason;
  end.text = reason.empty() ? QStringLiteral("Finished") : with_capital(q(reason));
  if (end.is_good || document.end->signal) return end;
  ErrorWords words = error_words(printed_traceback(document));
  const std::string name = words.message.substr(0, words.message.find(':'));
  // A traceback that the script printed and survived is not why it ended.
  if (name.empty() || reason.find(name) == reason.npos) return end;
  end.text = q(words.text());
  end.place = error_place(document, words);
  end.error = std::move(words);
  return end;
}

}  // namespace footlight::app
