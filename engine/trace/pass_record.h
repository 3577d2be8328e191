// Writes what the passes did to the graphs of a program into the session.
#pragma once

#include "engine/compile/program.h"
#include "engine/session/records/comparison.h"

#include <vector>

namespace footlight::trace {

// The program and all that it calls, each graph once.
std::vector<const compile::Program*> programs_of(const compile::Program& program);

// The changes of the program and of all that it calls.
std::vector<session::PassChange> pass_changes(const compile::Program& program);

// Adds the passes, their changes, their new nodes, why nodes run alone and the memory plan to the record of the
// program's graph. A graph with more changes than `most` gets only the passes.
void add_passes(const compile::Program& program, session::GraphRecord& record, size_t most = 1'000'000);

}  // namespace footlight::trace
