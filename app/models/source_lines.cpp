// Puts the fates of statements and the decisions of traces next to the lines.
#include "app/models/source_lines.h"

#include "app/models/line_fates.h"
#include "app/models/text.h"

#include "engine/explain/words.h"
#include "engine/source/line.h"

#include <QStringList>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <utility>

namespace footlight::app {
namespace {

// Lines by number, made where something is said of them.
struct SparseLines {
  std::unordered_map<int, CodeLine>& notes;
  CodeLine& operator[](size_t at) { return notes[static_cast<int>(at) + 1]; }
};

// `lines`: those from number `first` on, `end` of them.
template <class Lines>
void put_fates(const std::vector<const session::GeneratedRecord*>& codes, Lines&& lines, int64_t end, int first) {
  // Outer statements come first and inner ones overwrite their own lines. So going from the last to the first, each
  // statement takes the lines that are still free. Every line is written once, whatever the file says.
  std::vector<int64_t> next(static_cast<size_t>(end) + 1);  // the first line from here on that none has taken
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
      lines[static_cast<size_t>(at)].tone = fate_tone(statement.fate);
    }
  }
}

// "True in #1, #3; False and True in #2": a trace that took several ways is named once, with all of them.
QString notes_by_trace(const Document& document, const std::vector<Way>& ways) {
  std::map<TraceId, std::vector<size_t>> ways_of;
  for (size_t i = 0; i < ways.size(); ++i)
    for (const TraceId trace : ways[i].traces)
      if (auto& taken = ways_of[trace]; taken.empty() || taken.back() != i) taken.push_back(i);
  std::vector<std::pair<std::vector<size_t>, std::vector<TraceId>>> groups;
  for (const auto& [trace, taken] : ways_of) {
    auto at = std::ranges::find(groups, taken, [](const auto& group) { return group.first; });
    if (at == groups.end()) at = groups.insert(at, {taken, {}});
    at->second.push_back(trace);
  }
  QStringList all;
  for (const auto& [taken, traces] : groups) {
    QStringList notes;
    for (const size_t i : taken) notes << short_note(ways[i].note);
    all << notes.join(QStringLiteral(" and ")) + QStringLiteral(" in ") + trace_numbers(document, traces);
  }
  return all.join(QStringLiteral("; "));
}

// Decisions made while tracing override those of the conversion.
template <class Lines>
void put_decisions(const Document& document, session::FileId file, FunctionId function, TraceId wanted, Lines&& lines,
                   int64_t end, int first) {
  std::map<int, std::vector<Way>> by_line = ways_in(document, file, function);
  for (const auto& [line, ways] : by_line) {
    const int64_t at = int64_t{line} - first;
    if (at < 0 || at >= end) continue;
    const Way* chosen = &ways.front();
    for (const Way& way : ways) {
      if (std::find(way.traces.begin(), way.traces.end(), wanted) != way.traces.end()) chosen = &way;
    }
    CodeLine& made = lines[static_cast<size_t>(at)];
    const bool is_here = !wanted.valid() || std::ranges::find(chosen->traces, wanted) != chosen->traces.end();
    if (!is_here) made.fate.clear();  // the shown trace did not come to this line
    else if (!chosen->fate.empty()) made.fate = q(chosen->fate);
    made.tone = is_here ? fate_tone(chosen->fate) : QString();
    if (ways.size() == 1 && is_here) {
      const QString note = short_note(chosen->note);
      const bool decided = note.size() < static_cast<qsizetype>(chosen->note.size());
      made.note = decided && chosen->traces.size() > 1
                      ? note + QStringLiteral(" in all %1 traces").arg(count_text(chosen->traces.size()))
                      : q(chosen->note);
      continue;
    }
    made.note = notes_by_trace(document, ways);
  }
}

}  // namespace

QString fate_tone(const std::string& fate) {
  if (fate == "staged") return QStringLiteral("violet");
  if (fate == "fallback") return QStringLiteral("red");
  return fate.empty() ? QString() : QStringLiteral("teal");
}

QString short_note(const std::string& note) {
  if (note == "the condition was True in Python while tracing") return QStringLiteral("True");
  if (note == "the condition was False in Python while tracing") return QStringLiteral("False");
  return q(note);
}

QString trace_numbers(const Document& document, const std::vector<TraceId>& ids) {
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

std::string readable_note(const std::string& note) {
  std::string text;
  for (const char *at = note.data(), *const end = at + note.size(); at != end;) {
    uint64_t number = 0;
    const auto [behind, error] = std::from_chars(at, end, number);
    // Only counts get commas: a name may end in digits, and so may the number of a line.
    const std::string_view rest(behind, end);
    const bool counts = rest.starts_with(" iterations") || rest.starts_with(" copies") || rest.starts_with(" elements");
    if (error == std::errc() && counts) {
      text += explain::with_commas(number);
      at = behind;
    } else {
      text.append(at, std::max(behind, at + 1));
      at = std::max(behind, at + 1);
    }
  }
  return text;
}

std::map<int, std::vector<Way>> ways_in(const Document& document, session::FileId file, FunctionId function) {
  std::map<int, std::map<std::pair<std::string, std::string>, Way>> found;
  for (const session::DecisionRecord& d : document.decisions) {
    if (d.file != file) continue;
    if (function.valid()) {
      const session::TraceRecord* t = document.trace(d.trace);
      if (!t || t->function != function) continue;
    }
    Way& way = found[d.line][{d.fate, d.note}];
    way.fate = d.fate, way.note = readable_note(d.note);
    // A statement that runs several times in a trace decides each time.
    if (way.traces.empty() || way.traces.back() != d.trace) way.traces.push_back(d.trace);
  }
  std::map<int, std::vector<Way>> ways;
  for (auto& [line, all] : found) {
    for (auto& [key, way] : all) ways[line].push_back(std::move(way));
    std::stable_sort(ways[line].begin(), ways[line].end(),
                     [](const Way& a, const Way& b) { return a.traces.front() < b.traces.front(); });
  }
  return ways;
}

std::unordered_map<int, CodeLine> file_notes(const Document& document, session::FileId file, int64_t lines) {
  std::vector<const session::GeneratedRecord*> codes;
  for (const session::GeneratedRecord& g : document.generated) {
    if (g.file == file) codes.push_back(&g);
  }
  std::unordered_map<int, CodeLine> notes;
  put_fates(codes, SparseLines{notes}, lines, 1);
  put_decisions(document, file, {}, {}, SparseLines{notes}, lines, 1);
  return notes;
}

std::vector<CodeLine> file_lines(const Document& document, session::FileId file) {
  const auto& text = document.lines(file);
  std::vector<CodeLine> lines(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    lines[i].number = static_cast<int>(i) + 1;
    lines[i].text = q(text[i]);
  }
  for (auto& [number, note] : file_notes(document, file, static_cast<int64_t>(lines.size()))) {
    CodeLine& made = lines[static_cast<size_t>(number) - 1];
    made.fate = note.fate, made.note = note.note, made.tone = note.tone;
  }
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
  const auto at = [&](int line) -> std::string_view { return text[static_cast<size_t>(line) - 1]; };
  // Up to the def itself and its decorators.
  const int lines_there = static_cast<int>(text.size());
  for (int line = std::min(first, lines_there); line >= 1 && line > first - 60; --line) {
    if (source::defined_function(at(line)) != code.name) continue;
    first = line;
    while (first > 1 && source::unindented(at(first - 1)).starts_with('@')) --first;
    break;
  }
  for (int line = first; line <= last && static_cast<size_t>(line) <= text.size(); ++line) {
    CodeLine made;
    made.number = line;
    made.text = q(text[static_cast<size_t>(line) - 1]);
    lines.push_back(std::move(made));
  }
  const auto count = static_cast<int64_t>(lines.size());
  const session::TraceRecord* shown = document.trace(trace);
  put_fates({&code}, lines, count, first);
  put_decisions(document, code.file, shown ? shown->function : code.function, trace, lines, count, first);
  put_traced_fates(document, code, trace, lines);
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

std::vector<CodeLine> snippet(const Document& document, SourcePlace place, int around) {
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

bool is_definition(const Document& document, SourcePlace place) {
  return source::is_definition(document.line_text(place).toStdString());
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
