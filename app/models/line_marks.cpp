// Collects marks by line; the first one gives the colour.
#include "app/models/line_marks.h"

#include "app/models/source_lines.h"
#include "app/models/text.h"

#include "engine/explain/report.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

namespace footlight::app {
namespace {

constexpr double kSlowShare = 0.15;       // share of a file's time
constexpr size_t kFewTraces = 1;

void put(CodeLine& line, const QString& text, const char* tone) {
  if (line.note.isEmpty()) line.tone = QLatin1String(tone);
  line.note = line.note.isEmpty() ? text : line.note + QString::fromUtf8(" · ") + text;
}

// Functions: how often traced; and where calls made them trace again.
void mark_traces(const Document& document, session::FileId file, std::unordered_map<int, CodeLine>& notes) {
  std::map<int, size_t> again;
  std::unordered_set<FunctionId> served;  // by a trace that a call made, as retraces are counted in reports
  for (const session::TraceRecord& t : document.traces) {
    const bool by_call = t.reason == session::TraceReason::kCall || t.reason == session::TraceReason::kRelaxed;
    if (!by_call || !t.error.empty() || served.insert(t.function).second) continue;
    const SourcePlace place = document.place(t.source);
    if (place.file == file && place.line > 0) ++again[place.line];
  }
  // A loop may make a hundred thousand functions of one line.
  struct Traced { size_t functions = 0, traces = 0; bool is_many = false; };
  std::map<int, Traced> traced;
  for (const session::FunctionRecord& f : document.functions) {
    const bool is_defined = is_definition(document, {f.file, f.line});
    std::map<int, size_t> by_line;  // a library's function has its traces at the lines that let it trace
    for (const session::TraceRecord* t : document.traces_of(f.id)) {
      const SourcePlace place = is_defined ? SourcePlace{f.file, f.line} : document.place(t->source);
      if (t->error.empty() && place.file == file && place.line > 0) ++by_line[place.line];
    }
    for (const auto& [line, traces] : by_line) {
      Traced& of_line = traced[line];
      ++of_line.functions;
      of_line.traces += traces;
      of_line.is_many |= traces > kFewTraces;
    }
  }
  for (const auto& [line, t] : traced) {
    QString text = QStringLiteral("traced ");
    text += t.traces > 1 ? counted(t.traces, "time", "times") : QStringLiteral("once");
    if (t.functions > 1) text += QStringLiteral(", as ") + counted(t.functions, "function", "functions");
    put(notes[line], text, t.is_many ? "amber" : "dim");
    notes[line].strip = t.is_many ? QStringLiteral("amber") : QStringLiteral("violet");
  }
  for (const auto& [line, times] : again) {
    const QString often = times > 1 ? counted(times, "time", "times") : QStringLiteral("once");
    put(notes[line], QStringLiteral("retraced here ") + often, "amber");
    notes[line].strip = QStringLiteral("amber");
  }
}

// Functions that ran op by op: "eager, one signature". Their def is where their code begins.
void mark_eager(const Document& document, session::FileId file, std::unordered_map<int, CodeLine>& notes) {
  std::map<CodeId, size_t> signatures;
  for (const explain::EagerPlace& p : document.eager.places) {
    size_t& most = signatures[p.source.code];
    most = std::max(most, p.signatures.size());
  }
  std::set<int> traced;
  for (const session::FunctionRecord& f : document.functions) {
    if (f.file == file) traced.insert({f.line, f.decorator_line});
  }
  for (const auto& [id, count] : signatures) {
    const session::CodeRecord* code = document.code(id);
    if (!code || code->file != file || code->qualname == "<module>" || traced.count(code->first_line)) continue;
    const QString forms = count >= explain::EagerOps::kMaxSignatures ? QStringLiteral("many signatures")
                          : count == 1                                 ? QStringLiteral("one signature")
                                       : counted(count, "signature", "signatures");
    put(notes[code->first_line], QStringLiteral("eager, ") + forms, "dim");
    if (notes[code->first_line].strip.isEmpty()) notes[code->first_line].strip = QStringLiteral("blue");
  }
}

}  // namespace

void mark_lines(const Document& document, const query::LineSums& sums, session::FileId file,
                std::unordered_map<int, CodeLine>& notes) {
  mark_traces(document, file, notes);
  mark_eager(document, file, notes);
  int64_t whole = 0;
  const auto from = sums.lines.lower_bound({file, 0});
  for (auto it = from; it != sums.lines.end() && it->first.first == file; ++it) whole += it->second.time();
  for (auto it = from; it != sums.lines.end() && it->first.first == file; ++it) {
    const query::LineSum& sum = it->second;
    const int line = it->first.second;
    // Tracing is said in words already.
    const int64_t own = sum.time() - sum.tracing_ns;
    if (whole && static_cast<double>(own) > kSlowShare * static_cast<double>(whole)) {
      const QString share = q(explain::share_of_run(own, document.duration_ns()));
      put(notes[line], duration_text(own) + (share.isEmpty() ? QString() : QStringLiteral(", ") + share), "text");
    }
    // What was decided in Python may have made nodes before, as in the AutoGraph view.
    const bool in_graphs = sum.nodes || sum.called_nodes || sum.traced_ops || sum.library_ops;
    if (const auto at = notes.find(line); in_graphs && at != notes.end() && at->second.fate == QStringLiteral("python"))
      at->second.fate = QStringLiteral("staged");
    const bool is_staged = in_graphs || sum.evaluated_ops;
    if (!sum.eager_ops && !is_staged) continue;
    CodeLine& made = notes[line];
    if (made.strip.isEmpty() && made.fate.isEmpty())
      made.strip = is_staged ? QStringLiteral("violet") : QStringLiteral("blue");
  }
}

}  // namespace footlight::app
