// Graphs as records of a session.
#include "engine/trace/graph_record.h"

#include "engine/base/recording.h"
#include "engine/graph/describe.h"
#include "engine/runtime/executor.h"
#include "engine/session/writer.h"

#include <mutex>
#include <unordered_map>

namespace footlight::trace {
namespace {

session::NodeRecord node_record(const Graph& graph, uint32_t index) {
  static const AttrName kValue("value");
  const Node& node = graph.node(NodeId(index));
  session::NodeRecord record;
  record.id = index;
  record.name = node.name;
  record.op = node.op->name;
  record.family = name_of(node.op->family);
  for (Edge edge : node.inputs) record.inputs.push_back({edge.node.value, static_cast<uint16_t>(edge.output)});
  for (NodeId control : node.control_inputs) record.control_inputs.push_back(control.value);
  for (size_t i = 0; i < node.dtypes.size(); ++i) record.outputs.push_back(describe(node.dtypes[i], node.shapes[i]));
  record.attributes = describe_attrs(node);
  for (const auto& [name, value] : node.attrs)
    if (const GraphPtr* callee = std::get_if<GraphPtr>(&value))
      record.functions.push_back({std::string(name.text()), *callee ? (*callee)->id : GraphId()});
  if (const AttrValue* value = node.attrs.find(kValue))
    if (const Tensor* tensor = std::get_if<Tensor>(value)) record.constant = describe_value(*tensor);
  record.source = node.source;
  return record;
}

session::GraphRecord graph_record(const Graph& graph) {
  session::GraphRecord record;
  record.id = graph.id;
  record.name = graph.name();
  for (uint32_t i = 0; i < graph.size(); ++i) record.nodes.push_back(node_record(graph, i));
  for (NodeId input : graph.inputs) record.inputs.push_back(input.value);
  for (Edge edge : graph.outputs) record.outputs.push_back({edge.node.value, static_cast<uint16_t>(edge.output)});
  return record;
}

}  // namespace

void record_graph(const GraphPtr& graph) {
  static std::mutex mutex;
  static std::unordered_map<GraphId, size_t> nodes;  // of what the recording has, by their number of nodes
  static uint32_t recording = 0;
  std::lock_guard lock(mutex);
  std::vector<GraphPtr> all = library_of(*graph);
  all.push_back(graph);
  for (const GraphPtr& g : all)
    if (!g->id.valid()) g->id = session::new_graph_id();
  session::Writer* const writer = recording_structure() ? session::active_writer() : nullptr;
  if (!writer) return;
  if (recording != recording_number.load()) nodes.clear();
  recording = recording_number.load();
  for (const GraphPtr& g : all) {
    const auto [known, added] = nodes.try_emplace(g->id, g->size());
    if (!added && known->second == g->size()) continue;
    known->second = g->size();
    writer->add(graph_record(*g));
  }
}

void init_graph_record() { runtime::graph_runs = record_graph; }

}  // namespace footlight::trace
