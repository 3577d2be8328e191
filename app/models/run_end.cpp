// Shows the error that ended a run; without one, the recorded reason.
#include "app/models/run_end.h"

#include "app/models/text.h"

#include "engine/explain/run_end.h"

#include <QRegularExpression>

#include <algorithm>

namespace footlight::app {

QString error_line(const std::string& error) { return q(shortened_error(error_words(error).text(), kMaxShownCell)); }

SourcePlace error_place(const Document& document, const ErrorWords& words) {
  if (!words.line) return {};
  const session::FileId file = document.file_named(words.file);
  return file.valid() ? SourcePlace{file, words.line} : SourcePlace();
}

QString shortened(const QString& text, qsizetype most) {
  return q(shortened_error(text.toStdString(), static_cast<size_t>(most)));
}

RunEnd run_end(const Document& document) {
  RunEnd end;
  if (!document.end) return end;
  end.is_known = true;
  end.is_good = document.end->exit_code == 0 && document.end->signal == 0;
  const std::string& reason = document.end->reason;
  end.text = reason.empty() ? QStringLiteral("Finished") : capitalized(q(reason));
  if (end.is_good || document.end->signal) return end;
  ErrorWords words = explain::error_of_run(*document.end, explain::last_printed_traceback(document.console));
  if (words.message.empty()) return end;
  end.text = q(words.text());
  end.place = error_place(document, words);
  end.error = std::move(words);
  return end;
}

std::vector<CallerFrame> stack_of_end(const Document& document) {
  static const QRegularExpression frame(QStringLiteral("^ *File \"([^\"]+)\", line (\\d+), in (\\S+)"),
                                        QRegularExpression::MultilineOption);
  std::vector<CallerFrame> frames;
  if (run_end(document).error.message.empty()) return frames;
  auto found = frame.globalMatch(q(explain::last_printed_traceback(document.console)));
  while (found.hasNext()) {
    const auto match = found.next();
    const SourcePlace place{document.file_named(match.captured(1).toStdString()), match.captured(2).toInt()};
    if (place && (frames.empty() || frames.back().place != place))
      frames.push_back({match.captured(3).toStdString(), place});
  }
  std::ranges::reverse(frames);
  return frames;
}

}  // namespace footlight::app
