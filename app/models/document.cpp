// Keeps the records of a session and the indexes into them.
#include "app/models/document.h"

#include "app/models/text.h"

#include "engine/base/place.h"
#include "engine/session/run_times.h"

#include <algorithm>
#include <unordered_set>

namespace footlight::app {
namespace {

template <class Record, class Key>
const Record* find(const std::vector<Record>& all, const std::unordered_map<Key, size_t>& index, Key key) {
  const auto it = index.find(key);
  return it == index.end() ? nullptr : &all[it->second];
}

}  // namespace

template <class Record, class Key>
void Document::put(std::vector<Record>& all, std::unordered_map<Key, size_t>& index, Key key, Record record) {
  const auto [it, added] = index.try_emplace(key, all.size());
  if (added) {
    all.push_back(std::move(record));
  } else {
    all[it->second] = std::move(record);
  }
}

void Document::add(session::FileRecord record) {
  lines_.erase(record.id);
  const auto id = record.id;
  put(files, file_index_, id, std::move(record));
}
void Document::add(session::CodeRecord record) {
  const auto id = record.id;
  put(codes, code_index_, id, std::move(record));
}
void Document::add(session::LocationRecord record) {
  const auto id = record.id;
  put(locations, location_index_, id, std::move(record));
}
void Document::add(session::FunctionRecord record) {
  const auto id = record.id;
  put(functions, function_index_, id, std::move(record));
}
void Document::add(session::TraceRecord record) {
  const auto id = record.id;
  note_time(record.start_ns, record.end_ns);
  traced_graphs_ = 0;
  const session::TraceRecord* known = trace(id);
  const FunctionId now = record.function;
  if (known && known->function != now) std::erase(traces_of_[known->function], trace_index_[id]);
  if (!known || known->function != now) traces_of_[now].push_back(known ? trace_index_[id] : traces.size());
  put(traces, trace_index_, id, std::move(record));
}
void Document::add(session::GraphRecord record) {
  const auto id = record.id;
  traced_graphs_ = 0;
  put(graphs, graph_index_, id, std::move(record));
}
void Document::add(session::SignatureRecord record) {
  const auto id = record.id;
  put(signatures, signature_index_, id, std::move(record));
}
void Document::add(session::GeneratedRecord record) {
  const auto [it, added] = generated_index_.try_emplace({record.function, record.code, record.name}, generated.size());
  if (added) generated.push_back(std::move(record));
  else generated[it->second] = std::move(record);
}

const session::FileRecord* Document::file(session::FileId id) const { return find(files, file_index_, id); }
const session::CodeRecord* Document::code(CodeId id) const { return find(codes, code_index_, id); }
const session::LocationRecord* Document::location(session::LocationId id) const {
  return find(locations, location_index_, id);
}
const session::FunctionRecord* Document::function(FunctionId id) const {
  return find(functions, function_index_, id);
}
const session::TraceRecord* Document::trace(TraceId id) const { return find(traces, trace_index_, id); }
const session::GraphRecord* Document::graph(GraphId id) const { return find(graphs, graph_index_, id); }

const session::NodeRecord* Document::node(GraphId graph_id, uint32_t id) const {
  const session::GraphRecord* g = graph(graph_id);
  if (!g) return nullptr;
  if (id < g->nodes.size() && g->nodes[id].id == id) return &g->nodes[id];
  for (const session::NodeRecord& node : g->nodes) {
    if (node.id == id) return &node;
  }
  return nullptr;
}

const session::SignatureRecord* Document::signature(SignatureId id) const {
  return find(signatures, signature_index_, id);
}

const OpInfo& Document::op(session::OpNumber id) const {
  static const OpInfo unknown{"unknown op", ""};
  return id.value < ops.size() ? ops[id.value] : unknown;
}

SourcePlace Document::place(SourceRef source) const {
  const session::CodeRecord* c = code(source.code);
  if (!c) return {};
  auto it = std::upper_bound(
      c->lines.begin(), c->lines.end(), source.offset,
      [](uint32_t offset, const session::CodeLine& entry) { return offset < entry.first_offset; });
  if (it == c->lines.begin()) return {c->file, c->first_line};
  return {c->file, static_cast<int>(std::prev(it)->line)};
}

QString Document::place_text(SourcePlace place) const {
  const session::FileRecord* f = file(place.file);
  if (!f || !place) return {};
  return q(footlight::place_text(f->path, place.line));
}

const std::vector<std::string>& Document::lines(session::FileId id) const {
  static const std::vector<std::string> none;
  const auto known = lines_.find(id);
  if (known != lines_.end()) return known->second;
  const session::FileRecord* f = file(id);
  if (!f) return none;
  std::vector<std::string>& split = lines_[id];
  size_t at = 0;
  while (at <= f->text.size()) {
    size_t stop = f->text.find('\n', at);
    if (stop == std::string::npos) {
      if (at < f->text.size()) split.push_back(f->text.substr(at));
      break;
    }
    size_t length = stop - at;
    if (length && f->text[stop - 1] == '\r') --length;
    split.push_back(f->text.substr(at, length));
    at = stop + 1;
  }
  return split;
}

QString Document::line_text(SourcePlace place) const {
  const std::vector<std::string>& all = lines(place.file);
  if (place.line < 1 || static_cast<size_t>(place.line) > all.size()) return {};
  return q(all[static_cast<size_t>(place.line) - 1]);
}

std::vector<const session::TraceRecord*> Document::traces_of(FunctionId id) const {
  std::vector<const session::TraceRecord*> found;
  const auto own = traces_of_.find(id);
  if (own == traces_of_.end()) return found;
  for (const size_t at : own->second) found.push_back(&traces[at]);
  std::stable_sort(found.begin(), found.end(), [](const auto* a, const auto* b) { return a->number < b->number; });
  return found;
}

query::CallSums Document::calls_of(FunctionId id) const {
  const auto it = calls_of_function_.find(id);
  return it == calls_of_function_.end() ? query::CallSums{} : it->second;
}

query::CallSums Document::calls_of(TraceId id) const {
  const auto it = calls_of_trace_.find(id);
  return it == calls_of_trace_.end() ? query::CallSums{} : it->second;
}

const session::GeneratedRecord* Document::generated_of(FunctionId id) const {
  const session::FunctionRecord* f = function(id);
  if (!f) return nullptr;
  const session::GeneratedRecord* first = nullptr;
  for (const session::GeneratedRecord& g : generated) {
    // A function created again on the same line shares the generated code of the first.
    const bool own = g.function == id;
    const std::string last = f->name.substr(f->name.find_last_of('.') + 1);
    if (g.file == f->file && g.name == last) {
      if (own) return &g;
      if (!first) first = &g;
    } else if (own && !first) {
      first = &g;
    }
  }
  return first;
}

std::vector<const session::GeneratedRecord*> Document::all_generated_of(FunctionId id) const {
  std::vector<const session::GeneratedRecord*> found;
  const session::GeneratedRecord* own = generated_of(id);
  if (own) found.push_back(own);
  for (const session::GeneratedRecord& g : generated) {
    if (g.function == id && &g != own) found.push_back(&g);
  }
  return found;
}

std::vector<GraphId> Document::graphs_of_trace(TraceId id) const {
  const session::TraceRecord* t = trace(id);
  return t && t->graph().valid() ? graphs_below({t->graph()}) : std::vector<GraphId>{};
}

std::vector<GraphId> Document::graphs_below(std::vector<GraphId> roots) const {
  std::vector<GraphId> found;
  std::unordered_set<GraphId> seen;
  const auto take = [&](GraphId id) {
    if (seen.insert(id).second) found.push_back(id);
  };
  std::ranges::for_each(roots, take);
  for (size_t i = 0; i < found.size(); ++i) {
    const session::GraphRecord* g = graph(found[i]);
    for (size_t n = 0; g && n < g->nodes.size(); ++n) {
      for (const auto& [role, inner] : g->nodes[n].functions) take(inner);
    }
  }
  return found;
}

const session::TraceRecord* Document::trace_of_graph(GraphId id) const {
  const size_t stamp = graphs.size() + traces.size() + 1;
  if (traced_graphs_ != stamp) {
    trace_of_graph_.clear();
    // A graph that an earlier trace has already: so it has all that is in it.
    for (const session::TraceRecord& t : traces) {
      std::vector<GraphId> todo;
      const auto take = [&](GraphId id) {
        if (id.valid() && trace_of_graph_.try_emplace(id, t.id).second) todo.push_back(id);
      };
      take(t.graph());
      while (!todo.empty()) {
        const session::GraphRecord* g = graph(todo.back());
        todo.pop_back();
        if (!g) continue;
        for (const session::NodeRecord& node : g->nodes) {
          for (const auto& [role, inner] : node.functions) take(inner);
        }
      }
    }
    traced_graphs_ = stamp;
  }
  const auto it = trace_of_graph_.find(id);
  return it == trace_of_graph_.end() ? nullptr : trace(it->second);
}

session::FileId Document::file_named(const std::string& wanted) const {
  for (const session::FileRecord& f : files) {
    if (f.path == wanted) return f.id;
  }
  for (const session::FileRecord& f : files) {
    if (wanted.size() < f.path.size() && f.path.ends_with("/" + wanted)) return f.id;
  }
  return {};
}

void Document::note_time(int64_t from, int64_t to) {
  if (from <= 0) return;
  if (first_ == 0 || from < first_) first_ = from;
  last_ = std::max({last_, from, to});
}

int64_t Document::origin_ns() const {
  int64_t origin = first_;
  for (const int64_t first : {first_device_ns, first_span_ns})
    if (first > 0 && (origin == 0 || first < origin)) origin = first;
  return origin;
}

int64_t Document::duration_ns() const { return session::run_time(run, end, first_, last_); }

}  // namespace footlight::app
