// Looks at the stacks of nodes; for lines that made none, at the calls of the traced function around them.
#include "app/models/called_from.h"

#include "engine/base/error_words.h"

#include <algorithm>
#include <map>

namespace footlight::app {
namespace {

constexpr int kMaxFrames = 64;

SourcePlace location_place(const Document& document, const session::LocationRecord& at) {
  return at.file.valid() && at.line > 0 ? SourcePlace{at.file, at.line} : document.place(at.source);
}

std::string name_of(const Document& document, const session::LocationRecord& at) {
  const session::CodeRecord* code = document.code(at.source.code);
  return at.qualname.empty() && code ? code->qualname : at.qualname;
}

bool is_users(const Document& document, SourcePlace place) {
  const session::FileRecord* file = document.file(place.file);
  return file && is_users_file(file->path);
}

// The traced function whose definition is the last one above the line.
const session::FunctionRecord* function_around(const Document& document, SourcePlace place) {
  for (const session::GeneratedRecord& g : document.generated)
    if (g.file == place.file && std::ranges::find(g.line_map, place.line) != g.line_map.end())
      return document.function(g.function);
  const session::FunctionRecord* best = nullptr;
  for (const session::FunctionRecord& f : document.functions)
    if (f.file == place.file && f.line <= place.line && (!best || f.line > best->line)) best = &f;
  return best;
}

}  // namespace

std::vector<CalledFrom> called_from(const Document& document, SourcePlace place, size_t most) {
  std::map<std::pair<uint32_t, int>, CalledFrom> found;
  const auto add = [&](const std::string& name, SourcePlace at, uint64_t times) {
    if (!at || at == place) return;
    CalledFrom& one = found.try_emplace({at.file.value, at.line}, CalledFrom{{name, at}, 0}).first->second;
    one.times += times;
  };
  for (const session::LocationRecord& inner : document.locations) {
    if (location_place(document, inner) != place) continue;
    const std::string own = name_of(document, inner);
    const auto* at = document.location(inner.caller);
    for (int depth = 0; at && depth < kMaxFrames; ++depth, at = document.location(at->caller)) {
      const SourcePlace caller = location_place(document, *at);
      // A block of converted code is part of the function around it; a library is on the way.
      const bool same = name_of(document, *at) == own && caller.file == place.file;
      if (!same && is_users(document, caller)) break;
    }
    if (at) add(name_of(document, *at), location_place(document, *at), 1);
  }
  const session::FunctionRecord* function = found.empty() ? function_around(document, place) : nullptr;
  for (const session::CallRecord& call : document.distinct_calls) {
    const session::FunctionRecord* called = function ? document.function(call.function) : nullptr;
    if (!called || called->name != function->name || called->line != function->line) continue;
    const session::CodeRecord* code = document.code(call.source.code);
    add(code ? code->qualname : std::string(), document.place(call.source), 1);
  }
  std::vector<CalledFrom> all;
  for (auto& [key, one] : found) all.push_back(std::move(one));
  std::ranges::stable_sort(all, std::greater(), &CalledFrom::times);
  if (all.size() > most) all.resize(most);
  return all;
}

}  // namespace footlight::app
