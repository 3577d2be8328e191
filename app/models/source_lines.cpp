// Puts the fates of statements and the decisions of traces next to the lines.
#include "app/models/source_lines.h"

#include "app/models/text.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace footlight::app {
namespace {

QString tone_of(const std::string& fate) {
  if (fate == "staged") return QStringLiteral("amber");
  if (fate == "fallback") return QStringLiteral("red");
  return QStringLiteral("teal");
}

// "#1–#6", "#1, #3": which traces of a function went this way.
QString trace_numbers(const Document& document, std::vector<TraceId> ids) {
  std::vector<int> numbers;
  for (TraceId id : ids) {
    if (const session::TraceRecord* t = document.trace(id)) numbers.push_back(t->number);
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  QString text;
  for (size_t i = 0; i < numbers.size();) {
    size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!text.isEmpty()) text += QStringLiteral(", ");
    text += QStringLiteral("#%1").arg(numbers[i]);
    if (last > i) text += (last > i + 1 ? QString::fromUtf8("–#%1") : QStringLiteral(", #%1")).arg(numbers[last]);
    i = last + 1;
  }
  return text;
}

void put_fates(const std::vector<const session::GeneratedRecord*>& codes, std::vector<CodeLine>& lines, int first) {
  // Outer statements come first and inner ones overwrite their own lines. So going from the last to the first, each
  // statement takes the lines that are still free. Every line is written once, whatever the file says.
  const auto end = static_cast<int64_t>(lines.size());
  std::vector<int64_t> next(lines.size() + 1);  // the first line from here on that none has taken
  std::iota(next.begin(), next.end(), int64_t{0});
  const auto free_from = [&](int64_t at) {
    int64_t root = at;
    while (next[static_cast<size_t>(root)] != root) root = next[static_cast<size_t>(root)];
    while (next[static_cast<size_t>(at)] != root) at = std::exchange(next[static_cast<size_t>(at)], root);
    return root;
  };
  for (auto code = codes.rbegin(); code != codes.rend(); ++code) {
    for (auto s = (*code)->statements.rbegin(); s != (*code)->statements.rend(); ++s) {
      const int64_t from = std::max<int64_t>(int64_t{s->line} - first, 0);
      const int64_t last = std::min<int64_t>(int64_t{std::max(s->line, s->last_line)} - first, end - 1);
      if (from > last) continue;
      for (int64_t at = free_from(from); at <= last; at = free_from(at)) {
        lines[static_cast<size_t>(at)].fate = q(s->fate);
        next[static_cast<size_t>(at)] = at + 1;
      }
    }
  }
  for (const session::GeneratedRecord* code : codes) {
    for (const auto& statement : code->statements) {
      const int64_t at = int64_t{statement.line} - first;
      if (at < 0 || at >= end || statement.note.empty()) continue;
      lines[static_cast<size_t>(at)].note = q(statement.note);
      lines[static_cast<size_t>(at)].tone = tone_of(statement.fate);
    }
  }
}

// What was decided while tracing wins over what conversion alone could know.
void put_decisions(const Document& document, session::FileId file, FunctionId function, TraceId wanted,
                   std::vector<CodeLine>& lines, int first) {
  std::map<int, std::map<std::pair<std::string, std::string>, std::vector<TraceId>>> by_line;
  for (const session::DecisionRecord& d : document.decisions) {
    if (d.file != file) continue;
    if (function.valid()) {
      const session::TraceRecord* t = document.trace(d.trace);
      if (!t || t->function != function) continue;
    }
    by_line[d.line][{d.fate, d.note}].push_back(d.trace);
  }
  for (const auto& [line, ways] : by_line) {
    const int64_t at = int64_t{line} - first;
    if (at < 0 || static_cast<size_t>(at) >= lines.size()) continue;
    const auto* chosen = &*ways.begin();
    for (const auto& way : ways) {
      if (std::find(way.second.begin(), way.second.end(), wanted) != way.second.end()) chosen = &way;
    }
    const auto& [what, traces] = *chosen;
    CodeLine& made = lines[static_cast<size_t>(at)];
    if (!what.first.empty()) made.fate = q(what.first);
    made.note = q(what.second);
    made.tone = tone_of(what.first);
    if (ways.size() > 1) made.note += QStringLiteral(" in ") + trace_numbers(document, traces);
  }
}

}  // namespace

std::vector<CodeLine> file_lines(const Document& document, session::FileId file) {
  const auto& text = document.lines(file);
  std::vector<CodeLine> lines(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    lines[i].number = static_cast<int>(i) + 1;
    lines[i].text = q(text[i]);
  }
  std::vector<const session::GeneratedRecord*> codes;
  for (const session::GeneratedRecord& g : document.generated) {
    if (g.file == file) codes.push_back(&g);
  }
  put_fates(codes, lines, 1);
  put_decisions(document, file, {}, {}, lines, 1);
  return lines;
}

std::vector<CodeLine> function_lines(const Document& document, const session::GeneratedRecord& code, TraceId trace) {
  const auto& text = document.lines(code.file);
  int first = INT32_MAX, last = 0;
  for (int line : code.line_map) {
    if (line > 0) first = std::min(first, line), last = std::max(last, line);
  }
  for (const auto& s : code.statements) first = std::min(first, s.line), last = std::max({last, s.line, s.last_line});
  if (const session::CodeRecord* c = document.code(code.code); c && c->file == code.file) {
    if (c->first_line > 0) first = std::min(first, c->first_line);
    for (const auto& [offset, line] : c->lines) last = std::max(last, static_cast<int>(line));
  }
  std::vector<CodeLine> lines;
  first = std::max(first, 1);
  if (first > last) return lines;
  const auto starts = [&](int line, const std::string& with) {
    const std::string& here = text[static_cast<size_t>(line) - 1];
    const size_t mark = here.find_first_not_of(" \t");
    return mark != std::string::npos && here.compare(mark, with.size(), with) == 0;
  };
  // Up to the def itself and its decorators.
  const int lines_there = static_cast<int>(text.size());
  const std::string def = "def " + code.name;
  for (int line = std::min(first, lines_there); line >= 1 && line > first - 60; --line) {
    if (!starts(line, def)) continue;
    first = line;
    while (first > 1 && starts(first - 1, "@")) --first;
    break;
  }
  for (int line = first; line <= last && static_cast<size_t>(line) <= text.size(); ++line) {
    CodeLine made;
    made.number = line;
    made.text = q(text[static_cast<size_t>(line) - 1]);
    lines.push_back(std::move(made));
  }
  put_fates({&code}, lines, first);
  put_decisions(document, code.file, code.function, trace, lines, first);
  return lines;
}

std::vector<CodeLine> generated_lines(const session::GeneratedRecord& code) {
  std::vector<CodeLine> lines;
  size_t at = 0;
  int number = 1;
  while (at < code.text.size()) {
    size_t stop = code.text.find('\n', at);
    if (stop == std::string::npos) stop = code.text.size();
    CodeLine made;
    made.number = number++;
    made.text = q(code.text.substr(at, stop - at));
    lines.push_back(std::move(made));
    at = stop + 1;
  }
  return lines;
}

std::vector<CodeLine> snippet(const Document& document, Place place, int around) {
  const auto& text = document.lines(place.file);
  std::vector<CodeLine> lines;
  const int last = std::min(place.line + around, static_cast<int>(text.size()));
  for (int line = std::max(1, place.line - around); line <= last; ++line) {
    CodeLine made;
    made.number = line;
    made.text = q(text[static_cast<size_t>(line) - 1]);
    lines.push_back(std::move(made));
  }
  while (!lines.empty() && lines.back().text.trimmed().isEmpty()) lines.pop_back();
  while (!lines.empty() && lines.front().text.trimmed().isEmpty()) lines.erase(lines.begin());
  // The indentation that all lines share says nothing here.
  qsizetype indent = 1000;
  for (const CodeLine& l : lines) {
    qsizetype own = 0;
    while (own < l.text.size() && l.text[own] == QLatin1Char(' ')) ++own;
    if (own < l.text.size()) indent = std::min(indent, own);
  }
  for (CodeLine& l : lines) l.text = l.text.mid(std::min(indent, l.text.size()));
  return lines;
}

const session::GeneratedRecord::Statement* statement_at(const session::GeneratedRecord& code, int line) {
  const session::GeneratedRecord::Statement* best = nullptr;
  for (const auto& s : code.statements) {
    if (s.line > line || std::max(s.line, s.last_line) < line) continue;
    if (!best || s.line > best->line) best = &s;
  }
  return best;
}

}  // namespace footlight::app
