// Groups of rows of the inspector that need a look at several records: costs, ways, phases, other traces, gradients.
#pragma once

#include "app/models/inspector.h"

#include "engine/explain/stages.h"
#include "engine/query/line_sums.h"

namespace footlight::app {

// Costs of a line: runs, ops, time, Python's part of it, calls, traces.
void add_cost_rows(std::vector<InspectorRow>& rows, const query::LineSum& sum);
// Which way a statement went in which traces; empty unless there are several ways.
InspectorGroup ways_group(const Document& document, SourcePlace place, TraceId shown);
// The phases of a trace with those inside them, equal ones together, and the time of tracing other functions in them.
InspectorGroup phases_group(const Document& document, const session::TraceRecord& trace);
// The memory of values while a graph runs: of all, and of a node's.
InspectorGroup memory_group(const session::GraphRecord& graph);
InspectorGroup memory_group(const session::GraphRecord& graph, const session::NodeRecord& node);
// Gives a node's line; names its file if that is not the file of the function that the graph was made of.
explain::LineOf line_in(const Document& document, const session::GraphRecord& graph);
// The changes by each pass to a graph; the fate of one node in them.
InspectorGroup passes_group(const Document& document, const session::GraphRecord& graph);
InspectorGroup passes_group(const Document& document, const session::GraphRecord& graph,
                            const session::NodeRecord& node);
// "24 times, 1.2 ms in all, 50 us each"; with the bytes per second of copies.
QString device_sum_text(const query::DeviceSum& sum);
// Work on devices, or calls of their interface: a row for each kernel or function, the longest first.
InspectorGroup device_group(const std::vector<query::DeviceSum>& sums, bool on_device);
InspectorGroup callers_group(const Document& document, const std::vector<CallerFrame>& frames);
// Costs of each layer of a Keras model; a row opens to the way forward and back, FLOPs, parameters and memory.
InspectorGroup layers_group(const std::vector<LayerCost>& layers);
// The nodes that compute the gradient of a node, or whose gradient it computes.
struct GradientLinks {
  std::vector<uint32_t> gradients, forward;
};
GradientLinks gradient_links(const session::GraphRecord& graph, const session::NodeRecord& node);

}  // namespace footlight::app
