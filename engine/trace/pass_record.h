// What the passes did to the graphs of a program, as records of a session.
#pragma once

#include "engine/compile/program.h"
#include "engine/session/records/comparison.h"

#include <vector>

namespace footlight::trace {

// Of the program and of all that it calls, each graph once.
std::vector<session::PassChange> pass_changes(const compile::Program& program);

}  // namespace footlight::trace
