// Records graphs: each once, with those that it calls, before an event names one of its nodes.
#pragma once

#include "engine/graph/graph.h"

namespace footlight::trace {

// Assigns ids to the graph and those that it calls, and adds those to the session that it does not have yet.
void record_graph(const GraphPtr& graph);

// Records all graphs that run, including the forward and backward graphs of a tape, which belong to no trace.
void init_graph_record();

}  // namespace footlight::trace
