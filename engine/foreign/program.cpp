// Graphs are written as soon as they are read, so that memory holds few of them beside the text.
#include "engine/foreign/program.h"

#include "engine/base/text.h"
#include "engine/foreign/scan.h"
#include "engine/session/chunk.h"

namespace footlight::foreign {
namespace {

constexpr size_t kMaxArtifact = 4 << 20, kMaxSignature = 2000;
constexpr uint64_t kNodesOfFlush = 20'000;

}  // namespace

session::NodeRecord& TextGraph::add(std::string name, std::string op, std::string family, LocationNumber location) {
  session::NodeRecord node;
  node.id = static_cast<uint32_t>(record.nodes.size());
  node.name = std::move(name);
  node.op = std::move(op);
  node.family = std::move(family);
  if (location != kNoLocation) node.location = session::LocationId(location);
  values.insert_or_assign(node.name, session::EdgeRecord{node.id, 0});
  record.nodes.push_back(std::move(node));
  return record.nodes.back();
}

bool TextGraph::take(std::string_view value) {
  const auto at = values.find(value);
  if (at == values.end() || record.nodes.empty()) return false;
  record.nodes.back().inputs.push_back(at->second);
  return true;
}

NamedGraph* NamedGraphs::add(std::string_view name) {
  const auto [at, is_new] = by_name_.try_emplace(std::string(name));
  if (!is_new) return nullptr;
  in_order_.push_back(at->first);
  return &at->second;
}

NamedGraph* NamedGraphs::find(std::string_view name) {
  const auto at = by_name_.find(name);
  return at == by_name_.end() ? nullptr : &at->second;
}

session::FileId Program::own_text(std::string_view text) {
  path_ = import_.facts.path;
  keeps_text_ = text.size() <= kMaxKept;
  if (!keeps_text_)
    import_.builder.leave_out("texts", str("Footlight shows the text of files of at most ", bytes_text(kMaxKept)));
  file_ = session::FileId(locations().file(path_, keeps_text_ ? text : std::string_view()));
  return file_;
}

LocationNumber Program::own_line(int line, std::string_view function) {
  if (!keeps_text_) return kNoLocation;
  return locations().called(kNoLocation, locations().frame(path_, line, function));
}

void Program::add(TextGraph&& graph) {
  nodes_ += graph.record.nodes.size();
  import_.writer.add(std::move(graph.record));
  if (nodes_ < kNodesOfFlush) return;
  nodes_ = 0;
  import_.writer.flush();
}

FunctionId Program::add(session::FunctionRecord function) {
  function.id = FunctionId(++functions_);
  function.process = import_.writer.process();
  import_.writer.add(std::move(function));
  return FunctionId(functions_);
}

TraceId Program::add(session::TraceRecord trace) {
  if (!trace.id.valid()) trace.id = new_trace();
  const TraceId id = trace.id;
  import_.writer.add(std::move(trace));
  return id;
}

void Program::add_function(std::string_view name, int line, std::string_view signature, std::string_view stage,
                           GraphId graph, const session::ArtifactRecord& text) {
  session::FunctionRecord function;
  function.name = name;
  function.file = file_;
  function.line = function.decorator_line = line;
  session::TraceRecord trace;
  trace.function = add(std::move(function));
  trace.number = 1;
  trace.signature = signature;
  trace.graphs = {{std::string(stage), graph}};
  trace.artifacts = {text};
  add(std::move(trace));
}

void Program::add_functions(const NamedGraphs& graphs, std::string_view module, std::string_view stage,
                            const session::ArtifactRecord& text) {
  for (const bool entry : {true, false})
    for (const std::string& name : graphs.in_order_) {
      const NamedGraph& one = graphs.by_name_.find(name)->second;
      if (one.is_entry != entry || (!entry && one.is_called)) continue;
      add_function(entry && !module.empty() ? module : std::string_view(name), one.line, one.signature, stage,
                   one.graph, text);
    }
}

session::ArtifactRecord text_artifact(std::string_view name, std::string_view kind, std::string_view text) {
  session::ArtifactRecord artifact;
  artifact.name = name;
  const bool is_kept = text.size() <= kMaxArtifact;
  artifact.kind = is_kept ? kind : "absent";
  artifact.data = session::pack(is_kept ? std::string(text)
                                        : str("The text has ", bytes_text(text.size()), "; texts are kept up to ",
                                              bytes_text(kMaxArtifact), "."));
  return artifact;
}

std::string signature_of(const session::GraphRecord& graph) {
  std::string words;
  for (const uint32_t input : graph.inputs) {
    const session::NodeRecord& node = graph.nodes[input];
    if (!words.empty()) words += ", ";
    words += node.name;
    for (size_t i = 0; i < node.outputs.size(); ++i) words += (i ? ", " : ": ") + node.outputs[i];
    if (words.size() > kMaxSignature) return std::string(cut(words, kMaxSignature)) + "...";
  }
  return words;
}

}  // namespace footlight::foreign
