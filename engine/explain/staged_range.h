// Whether a Python loop over range() may run over tf.range() as it stands, as far as its source and its copies in the
// graph tell.
#pragma once

#include "engine/explain/evidence.h"
#include "engine/source/outline.h"

#include <string>

namespace footlight::explain {

struct StagedRange {
  std::string dtype;  // of the numbers of tf.range; empty: its usual one
  std::string first;  // what has to be changed before: "let line 7 append to a tf.TensorArray"; empty: nothing
};

// `copies`: how often the trace has the body of the loop, which is in `file`.
StagedRange staged_range(const Evidence& evidence, const source::Outline& outline, session::FileId file,
                         const source::Loop& loop, TraceId trace, uint64_t copies);

}  // namespace footlight::explain
