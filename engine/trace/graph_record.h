// What a session gets to know of graphs: each once, with those that it calls, before an event names one of its nodes.
#pragma once

#include "engine/graph/graph.h"

namespace footlight::trace {

// Gives the graph and those that it calls their ids, and adds to the session what it does not have of them yet.
void record_graph(const GraphPtr& graph);

// Graphs that run are recorded: the forward and backward graphs of a tape, which belong to no trace, too.
void init_graph_record();

}  // namespace footlight::trace
