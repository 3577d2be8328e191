// Checks whether repetitions did the work of the call that they repeat. Python's state is not restored before each, so
// a loop that ran 20 times in the call may run once in every repetition.
#pragma once

#include "engine/explain/compare/runs.h"

#include <vector>

namespace footlight::explain {

// Fills Comparison::other_work, or adds a note that names Python functions which the graph calls. `eager` and `traced`
// are the repetitions whose events count. Call it once the totals are known.
void check_repetitions(Comparison& comparison, const session::Reader& reader, const session::ComparisonRecord& record,
                       const std::vector<Run>& eager, const std::vector<Run>& traced);

}  // namespace footlight::explain
