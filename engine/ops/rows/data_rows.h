// How the rows of ops on datasets are written.
#pragma once

#include "engine/ops/define.h"

namespace footlight::dataset_rows {

// A row of an op that makes a dataset from others.
inline RowDef derived(const char* name, const char* signature, const char* attrs, const char* doc) {
  return {name, signature, attrs, infer::scalar, nullptr, OpFamily::kControl, doc,
          {.dispatch = -1, .zero_gradient = true, .host_only = true}};
}
// A row of an op that changes a resource.
inline RowDef writes(RowDef row) {
  row.properties.effect = Effect::kWrites;
  return row;
}
// A row of an op whose dataset has state of its own, or reads what may change, so that two nodes are never merged.
inline RowDef source(const char* name, const char* signature, const char* attrs, const char* doc) {
  RowDef row = derived(name, signature, attrs, doc);
  row.properties.effect = Effect::kOther;
  return row;
}

}  // namespace footlight::dataset_rows
