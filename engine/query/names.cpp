// Looks up what ids of a session stand for.
#include "engine/query/names.h"

#include "engine/base/text.h"

#include <algorithm>

namespace footlight::query {

std::string Names::op(session::OpNumber op) const {
  const session::OpNameRecord* record = reader_.op_name(op);
  return record && !record->name.empty() ? record->name : "op " + std::to_string(op.value);
}

std::string Names::function(FunctionId id) const {
  const session::FunctionRecord* record = reader_.function(id);
  if (record && !record->name.empty()) return record->name;
  return id.valid() ? "function " + std::to_string(id.value) : "";
}

std::string Names::trace_number(TraceId id) const {
  const session::TraceRecord* record = reader_.trace(id);
  return record ? "#" + std::to_string(record->number) : "";
}

std::string Names::thread(session::ThreadId id) const {
  for (const session::ThreadRecord& t : reader_.contents().threads)
    if (t.number == id && !t.name.empty()) return t.name;
  return id.valid() ? "thread " + std::to_string(id.value) : "";
}

std::string Names::device(session::DeviceNumber number) const {
  for (const session::DeviceNameRecord& d : reader_.contents().device_names)
    if (d.number == number) return d.name;
  return number.valid() ? std::to_string(number.value) : "";
}

const session::NodeRecord* Names::node(GraphId graph, NodeId node) const {
  const session::GraphRecord* record = node.valid() ? reader_.graph(graph) : nullptr;
  if (!record) return nullptr;
  // Honest graphs number their nodes as they lie.
  if (node.value < record->nodes.size() && record->nodes[node.value].id == node.value)
    return &record->nodes[node.value];
  const auto found = std::find_if(record->nodes.begin(), record->nodes.end(),
                                  [&](const session::NodeRecord& n) { return n.id == node.value; });
  return found == record->nodes.end() ? nullptr : &*found;
}

std::string Names::path(session::FileId file) const {
  const session::FileRecord* record = reader_.file(file);
  if (!record) return {};
  const std::string folder = reader_.contents().run.working_directory + "/";
  return record->path.starts_with(folder) ? record->path.substr(folder.size()) : record->path;
}

const std::string& Names::place(SourceRef source, session::LocationId location) {
  const bool coded = source.code.valid();
  const uint64_t key = coded ? uint64_t{source.code.value} << 32 | source.offset : location.value;
  const auto [at, added] = (coded ? places_ : locations_).try_emplace(key);
  if (!added) return at->second;
  session::Reader::Place place = reader_.place(source);
  if (const session::LocationRecord* l = coded ? nullptr : reader_.location(location)) {
    place = {l->file, l->line};
    if (!place.line) place = reader_.place(l->source);
  }
  if (const std::string file = path(place.file); !file.empty())
    at->second = place.line > 0 ? str(file, ':', place.line) : file;
  return at->second;
}

const session::TraceRecord* Names::trace_of(GraphId graph) {
  if (traces_.empty())
    for (const session::TraceRecord& t : reader_.contents().traces)
      for (const session::TraceGraph& g : t.graphs) traces_.try_emplace(g.graph, &t);
  const auto found = traces_.find(graph);
  return found == traces_.end() ? nullptr : found->second;
}

}  // namespace footlight::query
