// Adds up the time of functions that have the same code.
#include "app/models/landing.h"

#include "app/models/function_groups.h"

#include <algorithm>
#include <tuple>

namespace footlight::app {
namespace {

int64_t time_of(const Document& document, FunctionId id) {
  int64_t tracing = 0;
  for (const session::TraceRecord* t : document.traces_of(id)) tracing += std::max<int64_t>(0, t->end_ns - t->start_ns);
  return std::max(tracing, document.calls_of(id).total_ns);
}

}  // namespace

Selection busiest_function(const Document& document) {
  using Rank = std::tuple<bool, int64_t, size_t>;
  FunctionId best;
  Rank most;
  for (const FunctionGroup& group : function_groups(document)) {
    int64_t ns = 0;
    size_t traces = 0;
    for (const FunctionId id : group.ids) ns += time_of(document, id), traces += document.traces_of(id).size();
    if (!ns && !traces) continue;
    const Rank rank(!group.is_of_library, ns, traces);
    if (!best.valid() || rank > most) best = group.ids.front(), most = rank;
  }
  if (best.valid()) return Selection::of_function(document, best);
  Selection run;
  run.kind = Selection::Kind::kRun;
  return run;
}

Landing landing_at(const Document& document, const FindingCard& card) {
  Landing landing;
  // A trace that failed shows its error; of a finding, the function with all its traces; of a NaN, where it began.
  const bool is_node = card.target.kind == Selection::Kind::kNode;
  const session::FunctionRecord* function = document.function(card.target.function);
  // What a library made is not where a person can do something: the line of theirs is.
  const bool is_line = card.target.kind == Selection::Kind::kLine ||
                       (!is_node && card.place && function && is_of_library(document, *function));
  if (is_line) landing.selection = Selection::of_line(document, card.place);
  else if (!is_node && card.finding && function) landing.selection = Selection::of_function(document, function->id);
  else landing.selection = card.target;
  const bool has_traces = !document.traces_of(card.target.function).empty();
  if (card.finding && !card.finding->collective.empty()) landing.view = QStringLiteral("ranks");
  else if (is_node) landing.view = QStringLiteral("values");
  else if (is_line || !has_traces) landing.view = QStringLiteral("source");
  return landing;
}

Landing landing_of(const Document& document, const FindingList& findings) {
  for (const FindingCard& card : findings.cards)
    if (card.target.kind != Selection::Kind::kNothing) return landing_at(document, card);
  Landing landing;
  landing.selection = busiest_function(document);
  if (landing.selection.kind == Selection::Kind::kRun) landing.view = QStringLiteral("timeline");
  return landing;
}

}  // namespace footlight::app
