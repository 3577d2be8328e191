// Records where the arguments of calls were made whose function is traced again.
#pragma once

#include "engine/python/function/function_object.h"

namespace footlight::python {

// Call it when a trace was made for the innermost frame's call: writes ObservationRecords of the kind kValueLine, if it
// is not the function's first one. Reads source and variables and runs none of the user's code. Never fails.
void record_value_lines(FunctionCore& core, TraceId trace);

}  // namespace footlight::python
