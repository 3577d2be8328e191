// Lookups for rows of functions, built in one pass over files and traces: a recording may have any number of functions.
#include "engine/sql/table.h"

#include "engine/query/calls.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace footlight::sql {

using session::FunctionRecord;

std::string_view Lookup::def_text(const FunctionRecord& function) {
  if (!def_texts_) {
    def_texts_.emplace();
    std::vector<const FunctionRecord*> functions;
    for (const FunctionRecord& f : reader.contents().functions)
      if (f.line > 0 && reader.file(f.file)) functions.push_back(&f);
    std::ranges::sort(functions, {}, [](const FunctionRecord* f) { return std::pair(f->file.value, f->line); });
    const FunctionRecord* before = nullptr;
    std::string_view rest;  // the file from the line of `before` on
    for (const FunctionRecord* f : functions) {
      const bool is_same_file = before && before->file == f->file;
      if (!is_same_file) rest = reader.file(f->file)->text;
      for (int line = is_same_file ? before->line : 1; line < f->line && !rest.empty(); ++line)
        rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
      (*def_texts_)[f] = rest.substr(0, rest.find('\n'));
      before = f;
    }
  }
  const auto at = def_texts_->find(&function);
  return at == def_texts_->end() ? std::string_view() : at->second;
}

size_t Lookup::traces_of(FunctionId function) {
  if (!traces_) {
    traces_.emplace();
    for (const session::TraceRecord& t : reader.contents().traces) ++(*traces_)[t.function];
  }
  const auto at = traces_->find(function);
  return at == traces_->end() ? 0 : at->second;
}

const session::TracingSpans& Lookup::tracing() {
  if (!tracing_) tracing_.emplace(reader.contents().traces);
  return *tracing_;
}

const Lookup::Stage* Lookup::stage(session::TrackId track) {
  if (!stages_) find_stages();
  const auto at = stages_->find(track);
  return at == stages_->end() ? nullptr : &at->second;
}

// Tracks are of one stage if they were made by the same instruction, for the same stage above. Consumers are recorded
// before the stages below them.
void Lookup::find_stages() {
  stages_.emplace();
  // The functions that were traced for a stage, by its instruction: "map_enrich".
  std::map<uint64_t, std::set<std::string>> functions;
  for (const session::TraceRecord& t : reader.contents().traces) {
    const FunctionRecord* f = reader.function(t.function);
    constexpr std::string_view start = "Dataset_";
    if (!f || !f->name.starts_with(start) || !t.source.code.valid()) continue;
    functions[query::key_of(t.source)].insert(f->name.substr(start.size()));
  }
  using Key = std::tuple<session::ProcessId, session::TrackId, std::string, uint64_t>;
  std::map<Key, session::TrackId> first;
  for (const session::TrackRecord& t : reader.contents().tracks) {
    if (t.kind != session::TrackRecord::kStage) continue;
    const auto above = stages_->find(t.parent);
    const session::TrackId parent = above == stages_->end() ? t.parent : above->second.number;
    Stage stage{t.name, first.try_emplace({t.process, parent, t.name, query::key_of(t.source)}, t.id).first->second};
    std::set<std::string> named;
    if (t.source.code.valid())
      if (const auto made = functions.find(query::key_of(t.source)); made != functions.end())
        for (const std::string& name : made->second)
          if (name.starts_with(t.name + '_')) named.insert(name.substr(t.name.size() + 1));
    if (named.size() == 1 && !named.begin()->starts_with('<')) stage.name += '(' + *named.begin() + ')';
    stages_->emplace(t.id, std::move(stage));
  }
}

}  // namespace footlight::sql
