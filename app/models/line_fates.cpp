// Counts nodes by line and looks at which lines have instructions at all.
#include "app/models/line_fates.h"

#include "app/models/lines_run.h"
#include "app/models/text.h"
#include "engine/session/users_line.h"
#include "engine/source/lexer.h"

#include <algorithm>
#include <map>
#include <set>

namespace footlight::app {
namespace {

// For each line, nodes made there, and nodes made by what is called there.
struct LineNodes {
  std::map<int, uint64_t> own, called;
};

// The lines of the file in the stack of a node, without the innermost place.
void add_callers(const Document& document, session::FileId file, session::LocationId id, int own,
                 std::map<int, uint64_t>& nodes) {
  constexpr int kMaxFrames = 64;
  std::set<int> lines;
  const session::LocationRecord* at = document.location(id);
  const session::LocationRecord* inner = nullptr;
  for (int depth = 0; at && depth < kMaxFrames; ++depth, inner = at, at = document.location(at->caller)) {
    if (inner && session::is_own_block(document.code(at->source.code), document.code(inner->source.code))) continue;
    SourcePlace place{at->file, at->line};
    if (!place) place = document.place(at->source);
    if (place.file == file && place.line > 0 && place.line != own) lines.insert(place.line);
  }
  for (const int line : lines) ++nodes[line];
}

LineNodes nodes_by_line(const Document& document, session::FileId file, TraceId trace) {
  LineNodes nodes;
  for (const GraphId id : document.graphs_of_trace(trace)) {
    const session::GraphRecord* graph = document.graph(id);
    for (size_t i = 0; graph && i < graph->nodes.size(); ++i) {
      const SourcePlace place = document.place(graph->nodes[i].source);
      const bool is_here = place.file == file && place.line > 0;
      if (is_here) ++nodes.own[place.line];
      add_callers(document, file, graph->nodes[i].location, is_here ? place.line : 0, nodes.called);
    }
  }
  return nodes;
}

qsizetype indent_of(const QString& line) {
  qsizetype indent = 0;
  while (indent < line.size() && line[indent].isSpace()) ++indent;
  return indent;
}

// Whether a `break` or `continue` leaves a staged statement: AutoGraph turns it into a condition of the graph.
bool is_staged_jump(const std::vector<CodeLine>& lines, const std::vector<size_t>& starts, size_t at) {
  const auto word_of = [&](size_t i) {
    const std::string text = lines[i].text.trimmed().toStdString();
    return std::string(source::leading_word(text));
  };
  if (const std::string word = word_of(at); word != "break" && word != "continue") return false;
  qsizetype indent = indent_of(lines[at].text);
  bool is_branch = false;  // of an `if` on the same level
  for (size_t i = at; i-- > 0;) {
    if (starts[i] != i || lines[i].text.trimmed().isEmpty()) continue;
    const qsizetype own = indent_of(lines[i].text);
    if (own > indent || (own == indent && !is_branch)) continue;
    const std::string word = word_of(i);
    const bool is_loop = word == "for" || word == "while";
    if ((is_loop || word == "if" || word == "elif") && lines[i].fate == QStringLiteral("staged")) return true;
    if (is_loop || word == "def") return false;
    indent = own;
    is_branch = word == "elif" || word == "else";
  }
  return false;
}

}  // namespace

std::vector<size_t> statement_starts(const std::vector<CodeLine>& lines) {
  std::vector<size_t> starts(lines.size());
  source::StatementLines statements;
  bool begins = true;
  for (size_t i = 0; i < lines.size(); ++i) {
    starts[i] = begins ? i : starts[i - 1];
    begins = statements.feed(lines[i].text.toStdString());
  }
  return starts;
}

void put_traced_fates(const Document& document, const session::GeneratedRecord& code, TraceId trace,
                      std::vector<CodeLine>& lines) {
  const session::CodeRecord* instructions = document.code(code.code);
  const session::TraceRecord* shown = document.trace(trace);
  if (!instructions || !shown || !document.graph(shown->graph()) || lines.empty()) return;
  const auto nodes = nodes_by_line(document, code.file, trace);
  const auto ways = ways_in(document, code.file, shown->function);
  std::set<int> has_code;
  for (const session::CodeLine& l : instructions->lines) has_code.insert(static_cast<int>(l.line));
  // No line of this function is in this trace: it was converted for another.
  const bool any = std::any_of(lines.begin(), lines.end(), [&](const CodeLine& l) {
    return nodes.own.contains(l.number) || nodes.called.contains(l.number);
  });
  if (!any) return;
  const std::vector<size_t> starts = statement_starts(lines);
  std::map<size_t, uint64_t> made, called;  // indexed by statement
  const auto add = [&](const std::map<int, uint64_t>& from, std::map<size_t, uint64_t>& to) {
    for (size_t i = 0; i < lines.size(); ++i)
      if (const auto at = from.find(lines[i].number); at != from.end()) to[starts[i]] += at->second;
  };
  add(nodes.own, made);
  add(nodes.called, called);
  std::vector<LineSeen> seen(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    seen[i].made_nodes = made.contains(i) || called.contains(i);
    const auto all = ways.find(lines[i].number);
    if (all == ways.end()) continue;
    for (const Way& way : all->second)
      if (std::ranges::find(way.traces, trace) != way.traces.end()) seen[i].ways.push_back(&way);
  }
  const std::vector<Ran> ran = lines_that_ran(lines, seen);
  for (size_t i = 0; i < lines.size(); ++i) {
    CodeLine& l = lines[i];
    const CodeLine& first = lines[starts[i]];
    const std::string head = first.text.trimmed().toStdString();
    const bool header = head.starts_with('@') || source::leading_word(head) == "def";
    if (header || l.fate == QStringLiteral("fallback")) continue;
    // What was decided in Python may have made nodes before: `for v, g in zip(weights, tape.gradient(loss, weights))`.
    const bool has_nodes = made.contains(starts[i]) || called.contains(starts[i]);
    if (ways.contains(first.number) && !(has_nodes && l.fate == QStringLiteral("python"))) continue;
    const auto count = made.find(starts[i]);
    if (count != made.end()) {
      l.fate = QStringLiteral("staged");
      l.reason = counted(count->second, "node", "nodes") + QStringLiteral(" in trace #%1").arg(shown->number);
    } else if (const auto inside = called.find(starts[i]); inside != called.end()) {
      l.fate = QStringLiteral("staged");
      l.reason = QStringLiteral("%1 in trace #%2, made by what it calls")
                     .arg(counted(inside->second, "node", "nodes"))
                     .arg(shown->number);
    } else if (is_staged_jump(lines, starts, starts[i])) {
      l.fate = QStringLiteral("staged");
      l.reason = QStringLiteral("Part of the graph: it leaves a staged statement");
    } else if (!has_code.count(first.number) || ran[i] != Ran::kYes) {
      l.fate.clear();
    } else {
      l.fate = QStringLiteral("python");
      l.reason = QStringLiteral("Ran in Python while tracing: no nodes in trace #%1").arg(shown->number);
    }
  }
}

}  // namespace footlight::app
