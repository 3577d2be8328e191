// Selections in a sample run, and what the inspector says of them.
#pragma once

#include "tests/app/sample.h"

#include "app/models/facts.h"
#include "app/models/inspector.h"
#include "app/models/selection.h"

namespace footlight::app {

inline InspectorContent inspect_with_facts(const Document& document, const SampleStore& store,
                                           const Selection& selection) {
  SelectionFacts facts = find_facts(*store, selection, {});
  if (selection.kind == Selection::Kind::kNode) facts.median_ns = node_median(*store, selection, {});
  return inspect(document, selection, &facts);
}
inline Selection event_selection(const Document& document, const SampleStore& store, uint64_t row) {
  const auto op = store->op(row);
  const auto call = store->calls().find(op->call);
  return Selection::of_event(document, *op, call ? &*call : nullptr);
}

}  // namespace footlight::app
