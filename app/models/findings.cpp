// Turns findings into cards, and what is no finding into notes.
#include "app/models/findings.h"

#include "app/models/run_end.h"
#include "app/models/text.h"
#include "app/models/trace_counts.h"

#include "engine/explain/cause_words.h"
#include "engine/explain/report.h"
#include "engine/explain/values.h"

#include <QRegularExpression>

#include <algorithm>
#include <map>
#include <set>

namespace footlight::app {
namespace {

constexpr size_t kMaxFailures = 20;
constexpr uint64_t kManyEagerOps = 1000;

FindingCard card_of(const Document& document, const std::vector<explain::Finding>& all, size_t at) {
  const explain::Finding& f = all[at];
  FindingCard card;
  card.number = QStringLiteral("F%1").arg(at + 1);
  const session::FunctionRecord* function = document.function(f.function);
  const session::CodeRecord* code = document.code(f.code);
  card.title = q(f.title);
  card.function = code ? q(code->qualname) : function ? q(function->name) : QString();
  card.detail = q(f.detail);
  card.fix = q(f.fix);
  card.tone = f.severity == explain::Severity::kWrongResult ? QStringLiteral("red") : QStringLiteral("amber");
  card.place = {f.line.file, f.line.line};
  card.place_text = document.place_text(card.place);
  if (const session::TensorValue* began = where_nan_began(document, f))
    card.target = Selection::of_node(document, began->graph, began->node.value);
  else if (document.trace(f.example)) card.target = Selection::of_trace(document, f.example);
  else if (function) card.target = Selection::of_function(document, f.function);
  else card.target = Selection::of_line(document, card.place);
  card.checked = f.checked.ok;
  card.check = q(explain::check_text(all, at));
  if (f.checked.ok) card.check += QStringLiteral(", ") + duration_text(f.saved_ns);
  card.order = q(explain::order_text(all, at));
  card.edits = explain::edits_together(all, at);
  card.finding = f;
  return card;
}

void add_failures(const Document& document, std::vector<FindingCard>& cards) {
  std::vector<const session::TraceRecord*> failed;
  for (const session::TraceRecord& t : document.traces)
    if (!t.error.empty()) failed.push_back(&t);
  if (failed.empty()) return;
  std::ranges::stable_sort(failed, {}, [](const auto* t) { return std::pair(t->start_ns, -t->end_ns); });
  const RunEnd end = run_end(document);
  std::set<std::pair<FunctionId, std::string>> seen;
  std::map<std::string, std::pair<int64_t, FunctionId>> outer;  // by message: until when, and of what, a trace failed
  for (const session::TraceRecord* trace : failed) {
    const session::TraceRecord& t = *trace;
    const ErrorWords words = error_words(t.error);
    // An error that leaves a trace ends the ones around it too: the outermost one has the card.
    auto& [until, function] = outer.try_emplace(words.message, INT64_MIN, t.function).first->second;
    if (t.end_ns <= until && t.function != function) continue;
    if (t.end_ns > until) until = t.end_ns, function = t.function;
    // A function that fails the same way each time has one card.
    if (!seen.emplace(t.function, words.message).second) continue;
    FindingCard card;
    const session::FunctionRecord* f = document.function(t.function);
    card.title = QStringLiteral("Tracing %1 failed").arg(f ? q(f->name) : QStringLiteral("a function"));
    card.function = f ? q(f->name) : QString();
    card.detail = q(words.message);
    card.place = error_place(document, words);
    // Keras leaves the lines out of the error; the traceback with which the script ended has them.
    if (!card.place && words.message == end.error.message) card.place = end.place;
    if (!card.place) card.place = document.place(t.source);
    card.place_text = document.place_text(card.place);
    card.tone = QStringLiteral("red");
    card.target = Selection::of_trace(document, t.id);
    cards.push_back(std::move(card));
    if (cards.size() >= kMaxFailures) break;
  }
}

// The error that ended the script, unless a trace failed with it.
void add_end(const Document& document, std::vector<FindingCard>& cards) {
  const RunEnd end = run_end(document);
  if (end.error.message.empty()) return;
  FindingCard card;
  card.detail = q(end.error.message);
  for (const FindingCard& known : cards)
    if (known.detail == card.detail) return;
  card.title = QStringLiteral("The script ended with an error");
  card.place = end.place;
  card.place_text = document.place_text(card.place);
  card.tone = QStringLiteral("red");
  if (card.place) card.target = Selection::of_line(document, card.place);
  card.function = card.target.function.valid() ? q(document.function(card.target.function)->name) : QString();
  cards.push_back(std::move(card));
}

// Moves the error that ended the script before those that it caught, and says of these that it caught them.
void end_comes_first(const Document& document, std::vector<FindingCard>& cards) {
  const RunEnd end = run_end(document);
  if (!end.is_known) return;
  const QString ended_with = q(end.error.message);
  const auto is_end = [&](const FindingCard& card) { return !ended_with.isEmpty() && card.detail == ended_with; };
  const auto last = std::ranges::find_if(cards.rbegin(), cards.rend(), is_end);
  if (last != cards.rend()) std::rotate(cards.begin(), std::prev(last.base()), last.base());
  if (document.end->signal) return;  // nobody knows what it would have done with the last error
  for (FindingCard& card : cards)
    if (!is_end(card)) card.detail += QStringLiteral(" (the script caught this error and went on)");
}

// The functions of which the console says that they are retraced often.
std::vector<std::string> warned_functions(const Document& document) {
  static const QRegularExpression warning(QStringLiteral("function '([^']+)' is retracing often"));
  std::vector<std::string> names;
  for (const ConsolePiece c : document.console) {
    if (c.text.find("is retracing often") == std::string_view::npos) continue;
    auto found = warning.globalMatch(q(c.text));
    while (found.hasNext()) {
      std::string name = found.next().captured(1).toStdString();
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
  }
  return names;
}

// The console's warning of a function without a finding is not passed over.
void add_retrace_notes(const Document& document, FindingList& list) {
  if (document.level == QStringLiteral("off")) return;  // neither traces nor calls were recorded
  for (const std::string& name : warned_functions(document)) {
    const auto is_of_it = [&](const FindingCard& card) { return card.function.toStdString() == name; };
    if (std::any_of(list.cards.begin(), list.cards.end(), is_of_it)) continue;
    size_t traces = 0;
    uint64_t calls = 0;
    FunctionId shown;
    for (const session::FunctionRecord& f : document.functions) {
      if (f.name != name) continue;
      traces += counts_of(document.traces_of(f.id)).traces;
      calls += document.calls_of(f.id).calls;
      if (!shown.valid()) shown = f.id;
    }
    FindingNote note;
    note.text = QStringLiteral("%1 was traced %2 in %3, and the console warns of it. No finding explains it: its "
                               "traces show what differs.")
                    .arg(q(name), counted(traces, "time", "times"), counted(calls, "call", "calls"));
    note.link = QStringLiteral("Show its traces");
    note.view = QStringLiteral("retraces");
    if (shown.valid()) note.target = Selection::of_function(document, shown);
    list.notes.push_back(std::move(note));
  }
}

// Ops that ran outside of traced functions, where nothing better can be said of them.
void add_eager_note(const Document& document, FindingList& list) {
  uint64_t ops = 0;
  for (const explain::EagerPlace& place : document.eager.places) ops += place.ops;
  if (ops < kManyEagerOps || !list.cards.empty()) return;
  list.notes.push_back({QStringLiteral("%1 ran eagerly, outside of traced functions.").arg(
                            counted(ops, "op", "ops")),
                        QStringLiteral("Open Timeline"), QStringLiteral("timeline"), {}});
}

}  // namespace

const session::TensorValue* where_nan_began(const Document& document, const explain::Finding& finding) {
  if (finding.cause != "first_nan") return nullptr;
  for (const auto& call : document.values) {
    if (call->function != finding.function || call->trace != finding.example) continue;
    const explain::NumericsStory story = explain::story_of(*call, find_node(document));
    if (story.first_nan) return story.cause();
  }
  return nullptr;
}

explain::RunRecords records_of(const Document& document) {
  return {document.functions, document.traces, document.graphs, document.distinct_calls, document.keys,
          document.files, document.codes, document.observations,
          document.decisions, document.generated, &document.eager, document.end && document.end->exit_code != 0};
}

FindingList findings_of(const Document& document) {
  return list_of(document, explain::find_findings(records_of(document)));
}

FindingList list_of(const Document& document, const explain::Findings& all) {
  FindingList list;
  add_failures(document, list.cards);
  add_end(document, list.cards);
  end_comes_first(document, list.cards);
  std::set<std::string> named;
  for (size_t i = 0; i < all.found.size(); ++i) {
    list.cards.push_back(card_of(document, all.found, i));
    named.insert(all.found[i].cause);
  }
  list.together = all.together;
  list.reasons = explain::reasons_of_findings(document.traces, all.found);
  for (const explain::Suppressed& s : all.suppressed) {
    const session::FunctionRecord* f = document.function(s.function);
    const QString words = q(explain::suppressed_text(s));
    if (!s.detail.empty()) list.no_problem.emplace_back(s.function, words);
    const QString text = f ? q(f->name) + QStringLiteral(": ") + words : capitalized(words);
    if (!list.dropped.contains(text)) list.dropped << text;
    named.insert(s.cause);
  }
  list.not_found = looked_for(document, named);
  add_retrace_notes(document, list);
  add_eager_note(document, list);
  return list;
}

QString avoidable_text(const Document& document, const FindingList& list, FunctionId function) {
  std::vector<const explain::Finding*> each;
  for (const FindingCard& card : list.cards)
    if (card.finding) each.push_back(&*card.finding);
  std::set<TraceId> avoidable;
  for (const TraceId id : explain::saved_by_all(each, list.together)) {
    const session::TraceRecord* t = document.trace(id);
    if (t && t->function == function) avoidable.insert(id);
  }
  std::set<TraceId> named;
  QStringList reasons;
  for (const FindingCard& card : list.cards) {
    if (!card.finding || !card.finding->checked.ok) continue;
    size_t here = 0;
    for (const TraceId id : card.finding->saved) {
      const session::TraceRecord* t = document.trace(id);
      if (t && t->function == function && avoidable.contains(id))
        here += list.together.contains(function) || named.insert(id).second;
    }
    const QString name = card.finding->parameter.empty() ? card.title : q(card.finding->parameter);
    if (here && !reasons.contains(name)) reasons << name;
  }
  if (avoidable.empty()) {
    const auto said = std::ranges::find(list.no_problem, function, &std::pair<FunctionId, QString>::first);
    return said == list.no_problem.end() ? QString() : QStringLiteral("No problem: ") + said->second;
  }
  // A trace that only creates variables is made in a call that is traced again, and no change of the call spares it.
  // Traces that failed are counted beside these.
  const size_t traces = static_cast<size_t>(std::ranges::count_if(
      document.traces_of(function), [](const session::TraceRecord* t) {
        return t->reason != session::TraceReason::kVariableCreation && t->error.empty();
      }));
  return QStringLiteral("%1 of %2 avoidable: %3")
      .arg(count_text(avoidable.size()), counted(traces, "trace", "traces"), reasons.join(QStringLiteral(", ")));
}

}  // namespace footlight::app
