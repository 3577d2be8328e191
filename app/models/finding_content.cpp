// Puts a finding's evidence into rows and its edits into the text of the script.
#include "app/models/finding_content.h"

#include "app/models/dismissed.h"
#include "app/models/phases.h"
#include "app/models/text.h"
#include "app/models/values.h"

#include "engine/explain/edits.h"
#include "engine/explain/report.h"
#include "engine/explain/words.h"
#include "engine/session/run_times.h"

#include <algorithm>

namespace footlight::app {
namespace {

using explain::Finding;

constexpr size_t kMaxPlaces = 6;

QString role_words(const std::string& role) {
  if (role == "call") return QStringLiteral("Called at");
  if (role == "value") return QStringLiteral("Made at");
  if (role == "use") return QStringLiteral("Used at");
  if (role == "collective") return QStringLiteral("Waited at");
  if (role == "change") return QStringLiteral("Changed at");
  return role == "definition" ? QStringLiteral("Defined at") : q(role);
}

EvidenceRow row(const QString& name, const QString& value) {
  return {name, value, {}, EvidenceRow::Action::kNone, {}, 0};
}

QString path_of(const Document& document, SourcePlace place) {
  const session::FileRecord* file = document.file(place.file);
  return file ? q(file->path) : QString();
}

EvidenceRow values_row(const Finding& f) {
  std::vector<std::string> shown;
  for (const std::string& value : f.values) shown.push_back(explain::short_value(value));
  const bool shape = f.path.find(".shape[") != std::string::npos;
  QString name = q(f.path);
  if (!f.parameter.empty()) name += QLatin1Char(' ') + q(f.parameter);
  QString text = q(explain::progression(shown, shape));
  if (!f.values.empty()) text = counted(f.values.size(), "value", "values") + QStringLiteral(": ") + text;
  return row(name, text);
}

// How many of the traces that could be spared served one call only.
EvidenceRow use_row(const Document& document, const Finding& f) {
  size_t once = 0;
  for (const TraceId id : f.saved) once += document.calls_of(id).calls <= 1;
  // The number before is only known from a replay.
  QString text = f.checked.traces_before
                     ? QStringLiteral("%1 of %2 avoidable").arg(count_text(f.saved.size())).arg(
                           counted(f.checked.traces_before, "trace", "traces"))
                     : counted(f.saved.size(), "trace", "traces") + QStringLiteral(" probably avoidable");
  if (once) text += QStringLiteral("; %1 of these used once").arg(count_text(once));
  EvidenceRow made = row(QStringLiteral("Traces"), text);
  made.link = QStringLiteral("Show their calls");
  made.action = EvidenceRow::Action::kCalls;
  return made;
}

// A finding about ops or runs costs these; others cost the time in which the function was traced.
EvidenceRow cost_row(const Document& document, const Finding& f) {
  std::vector<const session::TraceRecord*> traces;
  const session::FunctionRecord* function = document.function(f.function);
  for (const session::TraceRecord& t : document.traces) {
    const session::FunctionRecord* of = document.function(t.function);
    if (!function || !of || of->name != function->name || of->line != function->line) continue;
    traces.push_back(&t);
  }
  const int64_t traced = session::tracing_time(traces);
  QString text = duration_text(f.cost_ns);
  if (traced == f.cost_ns) {
    QStringList parts;
    for (const PhaseTime& p : own_times(traces)) parts << p.word + QLatin1Char(' ') + duration_text(p.ns);
    text.prepend(QStringLiteral("all its tracing "));
    if (parts.size() > 1) text += QStringLiteral(": ") + parts.join(QStringLiteral(", "));
  }
  const int64_t run = document.duration_ns();
  if (const std::string share = explain::share_of_run(f.cost_ns, run); !share.empty())
    text += QStringLiteral("; %1 (%2)").arg(q(share), duration_text(run));
  return row(QStringLiteral("Cost"), text);
}

EvidenceRow graphs_row(const Document& document, const Finding& f) {
  if (f.graphs == explain::GraphRelation::kUnknown || f.graphs_words.empty())
    return row(QStringLiteral("Graphs"), QStringLiteral("Not recorded"));
  EvidenceRow made = row(QStringLiteral("Graphs"), q(f.graphs_words));
  const session::TraceRecord *left = document.trace(f.pair.left), *right = document.trace(f.pair.right);
  if (!left || !right) return made;
  // The link's text, in the words of the view that it opens.
  const QString names = left->function == right->function
                            ? QStringLiteral("#%1 and #%2").arg(left->number).arg(right->number)
                            : QStringLiteral("the first two of these functions");
  const QString difference = q(f.pair.difference);
  if (!difference.isEmpty()) made.value += QStringLiteral("; ") + names + QStringLiteral(": ") + difference;
  made.link = QStringLiteral("Show the difference");
  made.action = EvidenceRow::Action::kDifference;
  return made;
}

void add_places(const Document& document, const Finding& f, std::vector<EvidenceRow>& rows) {
  for (const explain::RelatedLine& related : f.related) {
    const SourcePlace place{related.at.file, related.at.line};
    if (!place || rows.size() >= kMaxPlaces) continue;
    EvidenceRow made = row(role_words(related.role), document.line_text(place).trimmed());
    made.link = document.place_text(place);
    made.action = EvidenceRow::Action::kPlace;
    made.path = path_of(document, place);
    made.line = place.line;
    rows.push_back(std::move(made));
  }
}

// The node in which a NaN began, and what it holds.
void add_node(const Document& document, const Finding& f, std::vector<EvidenceRow>& rows) {
  const session::TensorValue* const began = where_nan_began(document, f);
  if (!began) return;
  EvidenceRow node = row(QStringLiteral("Node"), q(explain::value_name(find_node(document), *began)));
  node.link = QStringLiteral("Show in Graph");
  node.action = EvidenceRow::Action::kGraph;
  rows.push_back(std::move(node));
  EvidenceRow values = row(QStringLiteral("Values"), finite_text(*began));
  values.link = QStringLiteral("Show in Values");
  values.action = EvidenceRow::Action::kValues;
  rows.push_back(std::move(values));
}

// What else was seen; a late rank is shown where it is late.
void add_facts(const Finding& f, std::vector<EvidenceRow>& rows) {
  for (const explain::Fact& fact : f.facts) {
    rows.push_back(row(q(fact.name), q(fact.value)));
    if (f.collective.empty() || &fact != &f.facts.front()) continue;
    rows.back().link = QStringLiteral("Show in Ranks");
    rows.back().action = EvidenceRow::Action::kRanks;
  }
}

// The lines around a place, for a fix that is no edit.
std::vector<EditLine> lines_around(const Document& document, SourcePlace place) {
  constexpr int kAround = 2;
  std::vector<EditLine> shown;
  if (!place) return shown;
  const std::vector<std::string>& lines = document.lines(place.file);
  for (int at = std::max(1, place.line - kAround); at <= std::min(int(lines.size()), place.line + kAround); ++at)
    shown.push_back({EditLine::kSame, at, q(lines[size_t(at) - 1])});
  return shown;
}

FixContent fix_of(const Document& document, const std::string& text, const std::vector<Finding::Edit>& edits,
                  const QString& check, bool checked, SourcePlace place) {
  FixContent fix;
  fix.title = q(text);
  fix.check = check;
  fix.checked = checked;
  fix.lines = lines_around(document, place);
  const session::FileRecord* file = edits.empty() ? nullptr : document.file(edits.front().at.file);
  if (!file || !edits.front().at) return fix;
  const std::string after = explain::apply_edits(file->text, edits);
  if (after.empty()) return fix;
  fix.path = q(file->path);
  fix.before = q(file->text);
  fix.after = q(after);
  fix.lines = edit_lines(fix.before, fix.after);
  return fix;
}

}  // namespace

FindingContent finding_content(const Document& document, const FindingCard& card) {
  FindingContent content;
  content.card = card;
  content.about = card.detail;
  content.path = path_of(document, card.place);
  content.key = Dismissed::key_of(document, card);
  if (!card.finding) return content;
  const Finding& f = *card.finding;
  if (!f.path.empty()) content.evidence.push_back(values_row(f));
  add_node(document, f, content.evidence);
  add_facts(f, content.evidence);
  add_places(document, f, content.evidence);
  if (!f.also_paths.empty())
    content.evidence.push_back(row(QStringLiteral("Also changes"), joined(f.also_paths, ", ")));
  if (!f.saved.empty()) {
    content.evidence.push_back(graphs_row(document, f));
    content.evidence.push_back(use_row(document, f));
  }
  const bool costs = f.cost_ns > 0 && f.severity == explain::Severity::kCost;
  if (costs) content.evidence.push_back(cost_row(document, f));
  if (f.calls > 0) content.evidence.push_back(row(capitalized(QLatin1String(f.counted)), count_text(f.calls)));
  if (f.nodes > 0) content.evidence.push_back(row(QStringLiteral("Nodes"), count_text(f.nodes)));
  if (f.bytes > 0) content.evidence.push_back(row(QStringLiteral("Memory"), bytes_text(f.bytes)));
  // If a finding that this one needs has no edit, only the edit of this one is offered.
  std::vector<Finding::Edit> edits = card.edits;
  if (edits.empty() && f.edit.at) edits.push_back(f.edit);
  const QString check = card.finding->checked.ok ? card.check.section(QStringLiteral(", "), 0, -2) : card.check;
  FixContent first = fix_of(document, f.fix, edits, check, f.checked.ok, card.place);
  if (!card.order.isEmpty()) first.title += QStringLiteral(", ") + card.order;
  content.fixes.push_back(std::move(first));
  for (const Finding::Alternative& a : f.alternatives)
    content.fixes.push_back(
        fix_of(document, a.fix, {a.edit}, q(explain::check_text(a.checked)), a.checked.ok, card.place));
  return content;
}

QString as_markdown(const FindingContent& content, size_t fix) {
  const FindingCard& card = content.card;
  QString text = QStringLiteral("### %1\n\n%2 %3\n\n%4\n\n")
                     .arg(markdown_words(card.title), markdown_code(card.function), markdown_words(card.place_text),
                          markdown_words(content.about));
  for (const EvidenceRow& r : content.evidence) {
    text += QStringLiteral("- %1: %2").arg(markdown_words(r.name), markdown_words(r.value));
    if (r.action == EvidenceRow::Action::kPlace) text += QStringLiteral(" (%1)").arg(markdown_words(r.link));
    text += QLatin1Char('\n');
  }
  if (fix >= content.fixes.size()) return text;
  const FixContent& f = content.fixes[fix];
  text += QStringLiteral("\nFix: %1").arg(markdown_words(f.title));
  text += f.check.isEmpty() ? QStringLiteral("\n") : QStringLiteral(" (%1)\n").arg(markdown_words(f.check));
  if (!f.path.isEmpty()) text += QLatin1Char('\n') + markdown_block("diff", as_patch(f.path, f.lines));
  return text;
}

}  // namespace footlight::app
