// Records each graph once, with the graphs that it calls, before an event names one of its nodes.
#pragma once

#include "engine/compile/program.h"
#include "engine/session/records.h"

namespace footlight::trace {

// Assigns ids to the program's graph and those that it calls, and adds the new ones to the session, with what the
// passes did to them. Called for all graphs that run, also for forward and backward graphs of a tape, which belong to
// no trace (runtime/hooks.h).
void record_graphs(const compile::Program& program);

session::NodeRecord node_record(const Node& node, uint32_t index);

}  // namespace footlight::trace
