// Follows the recorded places of calls outwards; of a node without any, the function that made it is all there is.
#include "app/models/graph_calls.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace footlight::app {
namespace {

constexpr size_t kMaxFrames = 128;

struct Frame {
  std::string function;
  SourcePlace at;
  CodeId code;
};

class Paths {
 public:
  Paths(const Document& document, GraphGrouping grouping) : document_(document), grouping_(grouping) {}

  const std::string& of(const session::NodeRecord& n) {
    if (grouping_ == GraphGrouping::kModules || !n.location.valid()) {
      const auto [known, added] = by_code_.try_emplace(n.source.code);
      if (added) known->second = of_code(n.source);
      return known->second;
    }
    const auto [known, added] = by_location_.try_emplace(n.location);
    if (added) known->second = of_calls(n.location);
    return known->second;
  }

 private:
  // A loop or a branch of converted code is a function of its own: part of the one around it.
  static bool is_block(const Frame& inner, const Frame& outer) {
    return inner.function == outer.function && inner.at.file == outer.at.file && inner.code != outer.code;
  }

  // The name without enclosing functions and slashes.
  static std::string segment(std::string function) {
    const size_t locals = function.rfind("<locals>.");
    if (locals != std::string::npos) function.erase(0, locals + 9);
    std::ranges::replace(function, '/', '|');
    return function;
  }

  std::string of_code(SourceRef source) const {
    const session::CodeRecord* code = document_.code(source.code);
    if (!code) return "";
    const std::string function = segment(code->qualname) + (code->qualname == "<module>" ? "/" : "()/");
    const session::FileRecord* file = document_.file(code->file);
    if (grouping_ != GraphGrouping::kModules || !file) return function;
    return segment(file->path.substr(file->path.rfind('/') + 1)) + '/' + function;
  }

  Frame frame_of(const session::LocationRecord& l) const {
    Frame frame{l.qualname, {l.file, l.line}, l.source.code};
    const session::CodeRecord* code = document_.code(l.source.code);
    if (frame.function.empty() && code) frame.function = code->qualname;
    if (!frame.at) frame.at = document_.place(l.source);
    return frame;
  }

  std::string of_calls(session::LocationId id) const {
    std::vector<Frame> frames;  // the innermost first
    for (const auto* l = document_.location(id); l && frames.size() < kMaxFrames; l = document_.location(l->caller))
      frames.push_back(frame_of(*l));
    std::string path;
    for (size_t i = frames.size(); i-- > 0;) {
      if (i + 1 < frames.size() && is_block(frames[i], frames[i + 1])) continue;
      path += segment(frames[i].function) + (frames[i].function == "<module>" ? "" : "()");
      if (i + 1 < frames.size()) path += "  line " + std::to_string(frames[i + 1].at.line);
      path += '/';
    }
    return path;
  }

  const Document& document_;
  const GraphGrouping grouping_;
  std::unordered_map<CodeId, std::string> by_code_;
  std::unordered_map<session::LocationId, std::string> by_location_;
};

}  // namespace

QString name_of(GraphGrouping grouping) {
  switch (grouping) {
    case GraphGrouping::kNames: return QStringLiteral("name scopes");
    case GraphGrouping::kCalls: return QStringLiteral("Python calls");
    case GraphGrouping::kModules: return QStringLiteral("modules");
  }
  return {};
}

std::vector<std::string> made_in(const Document& document, const session::GraphRecord& graph, GraphGrouping grouping) {
  std::vector<std::string> names;
  names.reserve(graph.nodes.size());
  if (grouping == GraphGrouping::kNames) {
    for (const session::NodeRecord& n : graph.nodes) names.push_back(n.name);
    return names;
  }
  Paths paths(document, grouping);
  // Parameters and results are made where the function is called: outside of what all else shares.
  std::unordered_set<uint32_t> results;
  for (const session::EdgeRecord& e : graph.outputs) results.insert(e.from);
  const std::string* first = nullptr;
  size_t shared = 0;
  for (const session::NodeRecord& n : graph.nodes) {
    if (n.op == "Placeholder" || n.op == "NoOp" || (n.op == "Identity" && results.contains(n.id))) continue;
    const std::string& path = paths.of(n);
    if (!first) shared = (first = &path)->size();
    const auto end = first->begin() + static_cast<ptrdiff_t>(shared);
    shared = static_cast<size_t>(std::mismatch(first->begin(), end, path.begin(), path.end()).first - first->begin());
  }
  const size_t slash = shared ? first->rfind('/', shared - 1) : std::string::npos;
  const std::string common = slash == std::string::npos ? std::string() : first->substr(0, slash + 1);
  for (const session::NodeRecord& n : graph.nodes) {
    const std::string& path = paths.of(n);
    const bool inside = path.starts_with(common);
    names.push_back((inside ? path.substr(common.size()) : std::string()) + std::to_string(names.size()));
  }
  return names;
}

}  // namespace footlight::app
