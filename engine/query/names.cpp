// Looks up what ids of a session stand for.
#include "engine/query/names.h"

#include "engine/base/place.h"
#include "engine/base/text.h"
#include "engine/source/line.h"

#include <algorithm>

namespace footlight::query {
namespace {

constexpr size_t kMaxTitle = 60;  // characters

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

std::string shortened_title(std::string_view text) {
  if (static_cast<size_t>(std::ranges::count_if(text, begins_character)) <= kMaxTitle) return std::string(text);
  size_t end = 0, characters = 0;
  for (; end < text.size(); ++end)
    if (begins_character(text[end]) && characters++ == kMaxTitle - 2) break;
  return std::string(text.substr(0, end)) + " …";
}

}  // namespace

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
  session::Reader::SourcePlace where = reader_.place(source);
  if (const session::LocationRecord* l = coded ? nullptr : reader_.location(location)) {
    where = {l->file, l->line};
    if (!where.line) where = reader_.place(l->source);
  }
  return at->second = place(where);
}

const std::string& Names::place(session::Reader::SourcePlace where) {
  const auto [at, added] = lines_.try_emplace(uint64_t{where.file.value} << 32 | static_cast<uint32_t>(where.line));
  if (!added) return at->second;
  if (const std::string file = path(where.file); !file.empty())
    at->second = where.line > 0 ? place_text_with_path(file, where.line) : file;
  return at->second;
}

const session::TraceRecord* Names::trace_of(GraphId graph) {
  if (traces_.empty())
    for (const session::TraceRecord& t : reader_.contents().traces)
      for (const session::TraceGraph& g : t.graphs) traces_.try_emplace(g.graph, &t);
  const auto found = traces_.find(graph);
  return found == traces_.end() ? nullptr : found->second;
}

std::string_view written_name(std::string_view name) {
  if (const size_t dot = name.rfind('.'); dot != name.npos) name.remove_prefix(dot + 1);
  constexpr std::string_view kDataset = "Dataset_";
  if (!name.starts_with(kDataset)) return name;
  name.remove_prefix(kDataset.size());
  for (const std::string_view what : {"flat_map_", "map_", "filter_", "interleave_", "reduce_", "scan_", "take_while_",
                                      "group_by_window_", "from_generator_", "batch_", "bucket_by_sequence_length_"})
    if (name.starts_with(what)) return name.substr(what.size());
  return name;
}

bool is_lambda(std::string_view written) { return written == "<lambda>" || written == "lambda"; }

std::string function_title(const session::FunctionRecord& function, std::string_view line, const std::string& place) {
  if (!is_lambda(written_name(function.name))) return function.name;
  if (const std::string_view text = source::lambda_text(line); !text.empty()) return shortened_title(text);
  return place.empty() ? function.name : "lambda at " + place;
}

}  // namespace footlight::query
