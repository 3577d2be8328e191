// Calls whose tensors are recorded: one that was asked for, or the first whose results hold NaN or infinity. Which
// stands in footlight_recorder.wanted_values; a run without has no cost from it.
#pragma once

#include "engine/python/function/function_object.h"

namespace footlight::python {

// How calls of new functions begin: `plain`, or what looks at the call and goes on with `plain`.
vectorcallfunc watched_by_values(vectorcallfunc plain);

void init_values();  // reads what is wanted

}  // namespace footlight::python
