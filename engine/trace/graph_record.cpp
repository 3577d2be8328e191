// Writes graphs into the session.
#include "engine/trace/graph_record.h"

#include "engine/base/recording.h"
#include "engine/graph/describe.h"
#include "engine/ops/host_function.h"
#include "engine/runtime/executor.h"
#include "engine/session/writer.h"
#include "engine/trace/call_sites.h"
#include "engine/trace/pass_record.h"

#include <mutex>
#include <unordered_map>

namespace footlight::trace {
namespace {

session::GraphRecord graph_record(const Graph& graph) {
  session::GraphRecord record;
  record.id = graph.id;
  record.name = graph.name();
  for (uint32_t i = 0; i < graph.size(); ++i) record.nodes.push_back(node_record(graph.node(NodeId(i)), i));
  for (NodeId input : graph.inputs) record.inputs.push_back(input.value);
  for (Edge edge : graph.outputs) record.outputs.push_back({edge.node.value, static_cast<uint16_t>(edge.output)});
  return record;
}

}  // namespace

session::NodeRecord node_record(const Node& node, uint32_t index) {
  session::NodeRecord record;
  record.id = index;
  record.name = node.name;
  record.op = node.op->name;
  record.family = name_of(node.op->family);
  for (Edge edge : node.inputs) record.inputs.push_back({edge.node.value, static_cast<uint16_t>(edge.output)});
  for (NodeId control : node.control_inputs) record.control_inputs.push_back(control.value);
  for (size_t i = 0; i < node.dtypes.size(); ++i) record.outputs.push_back(describe(node.dtypes[i], node.shapes[i]));
  record.attributes = describe_attrs(node);
  if (HostFunction* function = host_function_in(node.attrs))
    if (const std::string identity = function->identity(); !identity.empty())
      record.attributes += "; python_function=" + identity;
  for (const auto& [name, value] : node.attrs)
    if (const GraphPtr* callee = std::get_if<GraphPtr>(&value))
      record.functions.push_back({std::string(name.text()), *callee ? (*callee)->id : GraphId()});
  if (const AttrValue* value = node.attrs.find("value"_attr))
    if (const Tensor* tensor = std::get_if<Tensor>(value)) record.constant = describe_value(*tensor);
  record.source = node.source;
  if (node.call_site != kNoCallSite) record.location = session::LocationId(node.call_site);
  return record;
}

void record_graphs(const compile::Program& program) {
  static std::mutex mutex;
  static std::unordered_map<GraphId, size_t> nodes;  // number of nodes of each graph that the recording has
  static uint32_t recording = 0;
  std::lock_guard lock(mutex);
  std::vector<GraphPtr> all = library_of(*program.graph);
  all.push_back(program.graph);
  for (const GraphPtr& g : all)
    if (!g->id.valid()) g->id = session::new_graph_id();
  session::Writer* const writer = recording_structure() ? session::active_writer() : nullptr;
  if (!writer) return;
  if (recording != recording_number.load()) nodes.clear();
  recording = recording_number.load();
  std::unordered_map<const Graph*, const compile::Program*> compiled;
  for (const compile::Program* each : programs_of(program)) compiled.emplace(each->graph.get(), each);
  for (const GraphPtr& g : all) {
    const auto [known, added] = nodes.try_emplace(g->id, g->size());
    if (!added && known->second == g->size()) continue;
    known->second = g->size();
    record_call_sites(*g, *writer);
    session::GraphRecord record = graph_record(*g);
    const auto made = compiled.find(g.get());  // missing for a branch that never runs
    if (made != compiled.end()) add_passes(*made->second, record);
    writer->add(std::move(record));
  }
}

}  // namespace footlight::trace
