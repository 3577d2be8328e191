// Shows the error that ended a run; without one, the recorded reason.
#include "app/models/run_end.h"

#include "app/models/text.h"

#include "engine/explain/run_end.h"
#include "engine/session/users_line.h"

#include <QRegularExpression>

#include <algorithm>
#include <optional>

namespace footlight::app {

namespace {

constexpr size_t kMaxErrorFrames = 64;

// From the line of a node up to the program that called its graph.
std::vector<CallerFrame> stack_of_node(const Document& document, const session::NodeRecord& node) {
  std::vector<CallerFrame> frames;
  const session::LocationRecord* inner = nullptr;
  for (const auto* l = document.location(node.location); l && frames.size() < kMaxErrorFrames;
       inner = l, l = document.location(l->caller)) {
    const session::CodeRecord* code = document.code(l->source.code);
    const SourcePlace place = l->file.valid() ? SourcePlace{l->file, l->line} : document.place(l->source);
    const bool is_known = place && (frames.empty() || frames.back().place != place);
    if (is_known && !(inner && session::is_own_block(code, document.code(inner->source.code))))
      frames.push_back({l->qualname.empty() && code ? code->qualname : l->qualname, place});
  }
  return frames;
}

// Python's traceback has no frames between the call of a graph and the line of the node that failed, which the message
// names. They are added if all nodes of that name and line have the same.
void add_frames_of_graph(const Document& document, const QString& traceback, std::vector<CallerFrame>& frames) {
  static const QRegularExpression failed(QStringLiteral("\\{\\{node ([^}]+)\\}\\}"));
  const std::string name = failed.match(traceback).captured(1).toStdString();
  if (name.empty() || frames.size() < 2) return;
  std::optional<std::vector<CallerFrame>> missing;
  for (const session::GraphRecord& graph : document.graphs)
    for (const session::NodeRecord& node : graph.nodes) {
      if (node.name != name || document.place(node.source) != frames.front().place) continue;
      const std::vector<CallerFrame> stack = stack_of_node(document, node);
      const auto call = std::ranges::find(stack, frames[1].place, &CallerFrame::place);
      if (call == stack.end() || call == stack.begin()) return;
      std::vector<CallerFrame> between(stack.begin() + 1, call);
      if (missing && between != *missing) return;
      missing = std::move(between);
    }
  if (missing) frames.insert(frames.begin() + 1, missing->begin(), missing->end());
}

}  // namespace

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
  const QString traceback = q(explain::last_printed_traceback(document.console));
  auto found = frame.globalMatch(traceback);
  while (found.hasNext()) {
    const auto match = found.next();
    const SourcePlace place{document.file_named(match.captured(1).toStdString()), match.captured(2).toInt()};
    if (place && (frames.empty() || frames.back().place != place))
      frames.push_back({match.captured(3).toStdString(), place});
  }
  std::ranges::reverse(frames);
  add_frames_of_graph(document, traceback, frames);
  return frames;
}

}  // namespace footlight::app
