// What the passes did to the graphs of a program, as records of a session.
#pragma once

#include "engine/compile/program.h"
#include "engine/session/records/comparison.h"

#include <vector>

namespace footlight::trace {

// The program and all that it calls: each graph once.
std::vector<const compile::Program*> programs_of(const compile::Program& program);

// Of the program and of all that it calls.
std::vector<session::PassChange> pass_changes(const compile::Program& program);

// Adds the passes, their changes, the nodes that they made, why nodes run alone and the memory plan to the record of
// the program's graph. Of a graph with more changes than `most`, only the passes.
void add_passes(const compile::Program& program, session::GraphRecord& record, size_t most = 1'000'000);

}  // namespace footlight::trace
