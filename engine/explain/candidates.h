// Decides which of the proposed fixes of a function become findings.
#pragma once

#include "engine/explain/findings.h"

namespace footlight::explain {

// Asks every cause for candidates and replays each on its own; those that save too little alone are tried together. Of
// those for the same argument, the one that saves most is taken.
void try_candidates(const Evidence& evidence, const FunctionRun& run, Findings& findings);

}  // namespace footlight::explain
