// Groups of rows of the inspector that need a look at several records: costs, ways, phases, other traces, gradients.
#pragma once

#include "app/models/inspector.h"

#include "engine/query/line_sums.h"

namespace footlight::app {

// What a line cost: ran, ops, time, of it Python, calls, traces.
void add_cost_rows(std::vector<InspectorRow>& rows, const query::LineSum& sum);
// Which way a statement went in which traces; empty unless there are several.
InspectorGroup ways_group(const Document& document, SourcePlace place, TraceId shown);
// The phases of a trace with those inside them, equal ones together.
InspectorGroup phases_group(const session::TraceRecord& trace);
// Where values lie while a graph runs: all of them, and those of a node.
InspectorGroup memory_group(const session::GraphRecord& graph);
InspectorGroup memory_group(const session::GraphRecord& graph, const session::NodeRecord& node);
// What each of the engine's passes did to a graph; what they made of one node.
InspectorGroup passes_group(const Document& document, const session::GraphRecord& graph);
InspectorGroup passes_group(const Document& document, const session::GraphRecord& graph,
                            const session::NodeRecord& node);
// "24 times, 1.2 ms in all, 50 us each"; with the bytes per second of copies.
QString device_sum_text(const query::DeviceSum& sum);
// What ran on the devices, or what was asked of them: a row for each kernel or call, the longest first.
InspectorGroup device_group(const std::vector<query::DeviceSum>& sums, bool on_device);
InspectorGroup callers_group(const Document& document, const std::vector<CallerFrame>& frames);
// What each layer of a Keras model cost; a row opens to the way forward and back, FLOPs, parameters and memory.
InspectorGroup layers_group(const std::vector<LayerCost>& layers);
// The nodes that compute the gradient of a node, or whose gradient it computes.
struct GradientLinks {
  std::vector<uint32_t> gradients, forward;
};
GradientLinks gradient_links(const session::GraphRecord& graph, const session::NodeRecord& node);

}  // namespace footlight::app
