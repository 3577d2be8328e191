// The memory plan of a program as records of a session.
#pragma once

#include "engine/compile/program.h"
#include "engine/session/records.h"

#include <vector>

namespace footlight::trace {

// Of the values that the program's instructions make, in their order.
std::vector<session::PlannedValue> memory_plan(const compile::Program& program);

}  // namespace footlight::trace
