// Writes the memory plan of a program into the session.
#pragma once

#include "engine/compile/program.h"
#include "engine/session/records.h"

#include <vector>

namespace footlight::trace {

// An entry for each value that an instruction computes, in order.
std::vector<session::PlannedValue> memory_plan(const compile::Program& program);

}  // namespace footlight::trace
