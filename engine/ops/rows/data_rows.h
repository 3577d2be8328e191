// How the rows of ops on datasets are written.
#pragma once

#include "engine/ops/define.h"

namespace footlight::dataset_rows {

// A dataset made from others.
inline RowDef derived(const char* name, const char* signature, const char* attrs, const char* doc) {
  return {name, signature, attrs, infer::scalar, nullptr, OpFamily::kControl, doc,
          {.dispatch = -1, .zero_gradient = true, .host_only = true}};
}
// One that uses a resource.
inline RowDef writes(RowDef row) {
  row.more.effect = Effect::kWrites;
  return row;
}
// One that has state of its own, or comes from outside: two of them are never the same.
inline RowDef source(const char* name, const char* signature, const char* attrs, const char* doc) {
  RowDef row = derived(name, signature, attrs, doc);
  row.more.effect = Effect::kOther;
  return row;
}

}  // namespace footlight::dataset_rows
