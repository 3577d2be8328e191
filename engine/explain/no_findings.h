// Why a report has no findings: that nothing was found is said only where something could be looked for.
#pragma once

#include "engine/base/text.h"
#include "engine/explain/words.h"

namespace footlight::explain {

// What follows "No findings: ". `nothing_ran`: the recording was made of a model's file or of the text of a program.
// `has_traces`: a function was traced. `eager_ops`: how many ops ran outside of traced functions.
inline std::string no_findings_text(bool nothing_ran, bool has_traces, uint64_t eager_ops) {
  if (nothing_ran) return "nothing of it ran, so no problem could be looked for.";
  if (!has_traces)
    return str("none of the known problems was found in what was recorded; no function was traced",
               eager_ops ? str(", and ", with_commas(eager_ops), eager_ops == 1 ? " op" : " ops", " ran one by one")
                         : std::string(),
               ", so causes of retraces could not be looked for.");
  return "none of the known problems was found in what was recorded.";
}

}  // namespace footlight::explain
