// Chooses what is compared at first, and which side's lines are the open recording's.
#include "app/models/compare_sides.h"

#include "app/models/text.h"

#include <algorithm>

namespace footlight::app {

using Kind = explain::Recorded::Kind;

std::vector<std::pair<QString, FunctionId>> functions_to_compare(const Document& document) {
  std::vector<std::pair<QString, FunctionId>> made;
  for (const auto& [name, id] : explain::function_names(document.functions)) made.emplace_back(q(name), id);
  return made;
}

QString name_to_compare(const Document& document, FunctionId function) {
  for (const auto& [name, id] : functions_to_compare(document))
    if (id == function) return name;
  return {};
}

std::pair<CompareSide, CompareSide> sides_to_offer(const Document& document, FunctionId function, TraceId trace,
                                                   const QString& earlier) {
  CompareSide left, right;
  const std::string name = name_to_compare(document, function).toStdString();
  const auto both = [&](Kind kind, uint64_t first, uint64_t second) {
    left.what = {kind, name, first};
    right.what = {kind, name, second};
  };
  const std::vector<const session::TraceRecord*> traces = document.traces_of(function);
  if (name.empty()) {
    left.path = earlier;
  } else if (traces.size() > 1) {
    const auto at = std::find_if(traces.begin(), traces.end(), [&](const auto* t) { return t->id == trace; });
    const bool later = at != traces.end() && at != traces.begin();
    const session::TraceRecord* near = later ? document.trace((*at)->nearest) : nullptr;
    const int second = later ? (*at)->number : traces[1]->number;
    const bool other = near && near->function == function && near->number != second;
    both(Kind::kTrace, static_cast<uint64_t>(other ? near->number : traces.front()->number),
         static_cast<uint64_t>(second));
  } else {
    both(Kind::kCall, 1, std::max<uint64_t>(2, document.calls_of(function).calls));
  }
  return {left, right};
}

void bind_to_document(explain::Comparison& c, bool left_is_open, bool right_is_open) {
  for (explain::Row& row : c.rows) {
    if (!left_is_open) {
      row.at = {};
      row.nodes.clear();
    }
    if (!right_is_open) continue;
    if (!row.at) row.at = row.right_at;
    row.nodes.insert(row.nodes.end(), row.right_nodes.begin(), row.right_nodes.end());
  }
  if (left_is_open) return;
  c.function = {};
  c.trace = {};
  c.source = {};
}

}  // namespace footlight::app
