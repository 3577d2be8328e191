// What a session gets to know of functions, traces and graphs; and the warning about frequent retracing.
#include "engine/python/function/function_object.h"

#include "engine/base/clock.h"
#include "engine/base/recording.h"
#include "engine/base/text.h"
#include "engine/graph/describe.h"
#include "engine/python/interpreter/module.h"
#include "engine/python/interpreter/source.h"
#include "engine/python/types/variable_object.h"
#include "engine/session/writer.h"

#include <bit>

namespace footlight::python {
namespace {

PyCodeObject* code_of(PyObject* callable) {
  for (int depth = 0; callable && depth < 8; ++depth) {
    if (PyFunction_Check(callable)) return reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(callable));
    if (PyMethod_Check(callable)) callable = PyMethod_GET_FUNCTION(callable);
    else if (is_function(callable)) callable = core_of(callable).python_function.get();
    else return nullptr;
  }
  return nullptr;
}

std::string source_file(PyCodeObject* code) {
  const char* path = PyUnicode_AsUTF8(code->co_filename);
  PyErr_Clear();
  return path ? path : "";
}

// The line of the `def`: decorators come before it, and code objects begin with them.
int definition_line(const std::string& path, int first) {
  Ref cache = Ref::steal(PyImport_ImportModule("linecache"));
  for (int line = first; cache && line < first + 50; ++line) {
    Ref text = Ref::steal(PyObject_CallMethod(cache.get(), "getline", "si", path.c_str(), line));
    const char* utf8 = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
    if (!utf8 || !*utf8) break;
    std::string_view code(utf8);
    code.remove_prefix(std::min(code.find_first_not_of(" \t"), code.size()));
    if (code.starts_with("def ") || code.starts_with("async def ")) return line;
    if (line == first && !code.starts_with('@')) return first;  // a lambda
  }
  PyErr_Clear();
  return first;
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

std::vector<std::string> capture_texts(const TraceEntry& entry) {
  std::vector<std::string> texts;
  const auto& captures = entry.concrete->captures();
  for (size_t i = 0; i < captures.size(); ++i) {
    const Tensor& t = captures[i];
    PyObject* variable = i < entry.captured_variables.size() ? entry.captured_variables[i].get() : nullptr;
    if (variable)
      texts.push_back(str(variable_name(variable), " ",
                          describe(variable_dtype(variable), variable_shape(variable)), " variable"));
    else
      texts.push_back(str(describe(t.dtype(), t.shape()),
                          t.is_symbolic() ? " tensor of the function around" : " tensor"));
  }
  return texts;
}

}  // namespace

FunctionId record_function(FunctionCore& core) {
  Family& family = *core.family;
  if (!family.id.valid()) family.id = session::new_function_id();
  session::Writer* writer = recording_structure() ? session::active_writer() : nullptr;
  if (!writer || family.recorded) return family.id;
  family.recorded = true;
  session::FunctionRecord record;
  record.id = family.id;
  record.name = core.qualified_name;
  const SourcePlace made = place_of(core.made_at);
  if (PyCodeObject* code = code_of(core.python_function.get())) {
    const std::string path = source_file(code);
    if (!path.empty()) record.file = writer->file(path);
    record.line = definition_line(path, code->co_firstlineno);
    record.decorator_line = made.file == path ? made.line : code->co_firstlineno;
    (void)code_id(reinterpret_cast<PyObject*>(code));
  } else if (!made.file.empty()) {
    record.file = writer->file(made.file);
    record.line = record.decorator_line = made.line;
  }
  if (core.self_number) record.parameters.push_back("self");
  for (const FunctionParameter& p : core.signature.parameters) record.parameters.push_back(p.name);
  writer->add_function(std::move(record));
  return family.id;
}

void record_graphs(const GraphPtr& graph) {
  session::Writer* writer = recording_structure() ? session::active_writer() : nullptr;
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

void record_trace(FunctionCore& core, TraceEntry& entry, session::TraceReason reason, int64_t start_ns,
                  int64_t python_ns, const std::string& error) {
  Family& family = *core.family;
  session::Writer* writer = recording_structure() ? session::active_writer() : nullptr;
  session::TraceRecord record;
  record.number = ++family.traces;
  if (writer) {
    record.id = entry.id;
    record.function = family.id;
    record.graph = entry.graph_id;
    record.reason = reason;
    record.start_ns = start_ns;
    record.autograph_ns = entry.autograph_ns;
    record.python_ns = python_ns - entry.autograph_ns;
    record.signature = explain::summary(entry.key);
    record.key = explain::describe(entry.key);
    std::vector<explain::Difference> differing;
    for (auto seen = family.keys.rbegin(); seen != family.keys.rend(); ++seen) {
      std::vector<explain::Difference> found = explain::differences(seen->key, entry.key);
      if (record.nearest.valid() && found.size() >= differing.size()) continue;
      record.nearest = seen->trace;
      differing = std::move(found);
    }
    for (const explain::Difference& d : differing) record.differing.push_back(d.path);
    if (record.nearest.valid()) record.why = explain::phrase(differing);
    record.source = current_source();
    record.error = error;
    if (entry.concrete) {
      record.captures = capture_texts(entry);
      const int64_t before = now_ns();
      entry.concrete->program();
      record.compile_ns = now_ns() - before;
      record_graphs(entry.concrete->graph());
    }
    record.end_ns = now_ns();
    writer->add_trace(std::move(record));
  }
  if (error.empty()) family.keys.push_back({entry.key, entry.id});
}

std::shared_ptr<Detector> detector_of(PyObject* callable) {
  static auto* all = new std::unordered_map<uint64_t, std::shared_ptr<Detector>>;
  PyCodeObject* code = code_of(callable);
  if (!code) return std::make_shared<Detector>();
  std::shared_ptr<Detector>& detector = (*all)[object_number(reinterpret_cast<PyObject*>(code))];
  if (!detector) detector = std::make_shared<Detector>();
  return detector;
}

void note_call(FunctionCore& core, bool traced) {
  Detector& detector = *core.detector;
  detector.recent = detector.recent << 1 | traced;
  if (core.warned || !traced) return;
  const int lately = std::popcount(detector.recent & 0x3ff), in_all = std::popcount(detector.recent);
  if (lately < 5 && in_all < 8) return;
  core.warned = true;
  detector.recent = 0;  // functions made anew from the same code are due again after as many traces
  std::string why;
  if (core.table.size() > 1) {
    std::vector<explain::Difference> differing;
    const explain::Key& last = core.table.key(static_cast<int>(core.table.size()) - 1);
    const explain::Key& before = core.table.key(static_cast<int>(core.table.size()) - 2);
    differing = explain::differences(before, last);
    why = explain::phrase(differing);
  }
  const std::string text = str(
      "function '", core.qualified_name, "' is retracing often: ", lately >= 5 ? lately : in_all,
      " of the last ", lately >= 5 ? 10 : 64, " calls traced it",
      why.empty() ? "" : "; the last trace differs from the one before in the ", why,
      ". Pass changing numbers as tensors, declare changing dimensions as None in an input_signature or use "
      "reduce_retracing=True, and make the function once, outside of loops");
  Ref logging = checked(PyImport_ImportModule("logging"));
  Ref logger = checked(PyObject_CallMethod(logging.get(), "getLogger", "s", "tensorflow"));
  checked(PyObject_CallMethod(logger.get(), "warning", "s", text.c_str()));
}

}  // namespace footlight::python
