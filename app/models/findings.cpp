// Turns findings into cards.
#include "app/models/findings.h"

#include "app/models/text.h"

#include <set>

namespace footlight::app {
namespace {

FindingCard card_of(const Document& document, const explain::Finding& f) {
  FindingCard card;
  const session::FunctionRecord* function = document.function(f.function);
  card.title = q(f.title);
  card.function = function ? q(function->name) : QString();
  card.detail = q(f.detail);
  card.fix = q(f.fix);
  card.tone = f.severity == explain::Severity::kWrongResult ? QStringLiteral("red") : QStringLiteral("amber");
  card.place = {f.line.file, f.line.line};
  card.place_text = document.place_text(card.place);
  card.target = Selection::of_trace(document, f.example);
  card.checked = f.checked.ok;
  card.check = q(explain::check_text(f.checked));
  if (f.checked.ok) card.check += QStringLiteral(", ") + duration_text(f.saved_ns);
  return card;
}

}  // namespace

std::vector<FindingCard> finding_cards(const Document& document) {
  std::vector<FindingCard> cards;
  std::set<std::pair<FunctionId, std::string>> seen;
  for (const session::TraceRecord& t : document.traces) {
    // A function that fails the same way each time has one card.
    if (t.error.empty() || !seen.emplace(t.function, t.error.substr(0, t.error.find('\n'))).second) continue;
    FindingCard card;
    const session::FunctionRecord* f = document.function(t.function);
    card.title = QStringLiteral("Tracing %1 failed").arg(f ? q(f->name) : QStringLiteral("a function"));
    card.function = f ? q(f->name) : QString();
    card.detail = q(t.error).section(QLatin1Char('\n'), 0, 0);
    card.place = document.place(t.source);
    card.place_text = document.place_text(card.place);
    card.tone = QStringLiteral("red");
    card.target = Selection::of_trace(document, t.id);
    cards.push_back(std::move(card));
    if (cards.size() >= 20) break;
  }
  const explain::RunRecords records{
      document.functions, document.traces, document.graphs, document.distinct_calls, document.keys,
      document.files, document.codes, document.observations,
      document.decisions, document.generated, &document.eager};
  for (const explain::Finding& f : explain::find_findings(records).found) cards.push_back(card_of(document, f));
  return cards;
}

}  // namespace footlight::app
