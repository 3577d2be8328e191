// Records of functions, traces, graphs, calls and evictions, made from what engine/trace knows.
#include "engine/trace/function_recording.h"

#include "engine/base/clock.h"
#include "engine/base/recording.h"
#include "engine/base/text.h"
#include "engine/graph/describe.h"
#include "engine/session/writer.h"

#include <bit>

namespace footlight::trace {
namespace {

constexpr size_t kMostSeen = 1024;

session::Writer* recording_writer() { return recording_structure() ? session::active_writer() : nullptr; }

void note(session::Writer& writer, const std::string& words) {
  writer.add_console({now_ns(), session::ConsoleStream::kNote, words + '\n'});
}

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
      record.functions.emplace_back(std::string(name.text()), (*callee)->id);
  if (const AttrValue* value = node.attrs.find(kValue))
    if (const Tensor* tensor = std::get_if<Tensor>(value)) record.constant = describe_value(*tensor);
  record.source = node.source;
  return record;
}

void record_graph(session::Writer& writer, const Graph& graph) {
  session::GraphRecord record;
  record.id = graph.id;
  record.name = graph.name();
  for (uint32_t i = 0; i < graph.size(); ++i) record.nodes.push_back(node_record(graph, i));
  for (NodeId input : graph.inputs) record.inputs.push_back(input.value);
  for (Edge edge : graph.outputs) record.outputs.push_back({edge.node.value, static_cast<uint16_t>(edge.output)});
  writer.add_graph(std::move(record));
}

// The recorded trace with the fewest differing leaves; of several, the latest.
void find_nearest(const Family& family, const explain::Key& key, session::TraceRecord& record) {
  std::vector<explain::Difference> differing;
  for (auto seen = family.seen.rbegin(); seen != family.seen.rend(); ++seen) {
    std::vector<explain::Difference> found = explain::differences(seen->key, key);
    if (record.nearest.valid() && found.size() >= differing.size()) continue;
    record.nearest = seen->trace;
    differing = std::move(found);
  }
  for (const explain::Difference& d : differing) record.differing.push_back(d.path);
  if (record.nearest.valid()) record.why = explain::phrase(differing);
}

}  // namespace

void record_eviction_totals(session::Writer& writer) {
  for (const std::string& sentence : unreported_evictions()) note(writer, sentence);
}

std::string describe_capture(const Tensor& t) {
  return str(describe(t.dtype(), t.shape()), t.is_symbolic() ? " tensor of the function around" : " tensor");
}

void record_function(Function& function) {
  Family& family = function.family();
  if (!family.id.valid()) family.id = session::new_function_id();
  session::Writer* writer = family.recorded ? nullptr : recording_writer();
  if (!writer) return;
  family.recorded = true;
  const FunctionSource& source = function.front_end().source();
  session::FunctionRecord record;
  record.id = family.id;
  record.name = source.name;
  if (!source.file.empty()) record.file = writer->file(source.file);
  record.line = source.line;
  record.decorator_line = source.decorator_line;
  record.parameters = function.front_end().parameters();
  writer->add_function(std::move(record));
}

void record_graphs(const GraphPtr& graph) {
  session::Writer* writer = recording_writer();
  if (!writer) return;
  for (const GraphPtr& callee : library_of(*graph)) {
    if (callee->id.valid()) continue;  // recorded with its own trace, or for another caller
    callee->id = session::new_graph_id();
    for (const GraphPtr& inner : library_of(*callee))
      if (!inner->id.valid()) record_graphs(callee);
    record_graph(*writer, *callee);
  }
  record_graph(*writer, *graph);
}

void record_trace(Function& function, const Trace& trace, const explain::Key& key, session::TraceReason reason,
                  const TraceTimes& times, const std::string& error) {
  session::Writer* writer = recording_writer();
  if (!writer) return;
  Family& family = function.family();
  session::TraceRecord record;
  record.id = trace.id;
  record.function = family.id;
  record.number = trace.number;
  record.reason = reason;
  record.start_ns = times.start;
  record.autograph_ns = trace.conversion_ns;
  record.python_ns = times.body - trace.conversion_ns;
  record.signature = explain::summary(key);
  record.key = explain::describe(key);
  find_nearest(family, key, record);
  record.source = current_source();
  record.error = error;
  if (trace.concrete) {
    record.graph = trace.concrete->graph()->id;
    record.captures = function.front_end().describe_captures(trace);
    const int64_t before = now_ns();
    trace.concrete->program();
    record.compile_ns = now_ns() - before;
    record_graphs(trace.concrete->graph());
  } else {
    record.graph = session::new_graph_id();
  }
  record.end_ns = now_ns();
  writer->add_trace(std::move(record));
  if (!error.empty()) return;
  if (family.seen.size() == kMostSeen) family.seen.erase(family.seen.begin(), family.seen.begin() + kMostSeen / 4);
  family.seen.push_back({key, trace.id});
}

void record_call_of(Function& function, CallId call, TraceId trace, CallOutcome outcome, int64_t start_ns) {
  record_function(function);
  CallEvent event;
  event.start_ns = start_ns;
  event.end_ns = now_ns();
  event.call = call;
  event.source = current_source();
  event.function = function.family().id;
  event.trace = trace;
  event.outcome = outcome;
  record_call(event);
}

void record_eviction(Function& function, const Trace& trace, const explain::Key* key, uint64_t object, size_t most) {
  Definition& definition = function.definition();
  const uint64_t count = ++definition.evicted;
  session::Writer* writer = recording_writer();
  // A few by name, then now and then; the end of the run says how many in all.
  if (!writer || (count > 16 && !std::has_single_bit(count))) return;
  definition.evictions_reported = count;
  std::string why;
  if (key) {
    const auto name = key->names ? key->names->find(object) : explain::Names::const_iterator();
    const bool known = key->names && name != key->names->end();
    why = str(known ? name->second : "an object", " in its key is gone");
  } else {
    why = str("the function has ", most, " traces, and this one was used longest ago");
  }
  note(*writer, str("trace #", trace.number, " of function '", function.front_end().source().name,
                    "' was evicted: ", why, count > 1 ? str(" (", count, " evicted so far)") : ""));
}

}  // namespace footlight::trace
