// Why a report has no findings: that nothing was found is said only where something could be looked for.
#pragma once

namespace footlight::explain {

// What follows "No findings: ". `nothing_ran`: the recording was made of a model's file or of the text of a program.
// `has_traces`: a function was traced.
inline const char* no_findings_text(bool nothing_ran, bool has_traces) {
  if (nothing_ran) return "nothing of it ran, so no problem could be looked for.";
  if (!has_traces)
    return "none of the known problems was found in what was recorded; no function was traced, so causes of retraces "
           "could not be looked for.";
  return "none of the known problems was found in what was recorded.";
}

}  // namespace footlight::explain
