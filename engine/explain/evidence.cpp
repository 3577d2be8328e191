// Sorts the records of a run by function.
#include "engine/explain/evidence.h"

#include "engine/explain/call_counts.h"
#include "engine/explain/engines.h"
#include "engine/keys/key.h"
#include "engine/session/run_times.h"

#include <algorithm>
#include <set>

namespace footlight::explain {

using session::TraceReason;
using session::TraceRecord;

int64_t FunctionRun::tracing_ns() const { return session::tracing_time(all_traces); }

Evidence::Evidence(const RunRecords& records)
    : records_(records), fingerprints_([this](GraphId id) { return graph(id); }) {
  for (const session::CodeRecord& c : records.codes) codes_[c.id] = &c;
  for (const session::GraphRecord& g : records.graphs) graphs_[g.id] = &g;
  for (const session::KeyRecord& k : records.keys)
    if (keys::well_formed(k.words)) keys_[k.id] = &k;
  std::set<FunctionId> internal;  // kept for what they are part of, and never blamed
  for (const session::FunctionRecord& f : records.functions)
    if (is_internal(f)) internal.insert(f.id);
  complete_keys();
  for (const TraceRecord& t : records.traces) {
    owners_.emplace(t.graph(), t.function);
    if (!t.error.empty()) continue;
    traces_[t.id] = &t;
    if (internal.contains(t.function)) continue;
    FunctionRun& run = functions_[t.function];
    run.id = t.function;
    // A trace that was requested explicitly is not a retrace, but it may serve a call.
    const bool by_call = t.reason == TraceReason::kCall || t.reason == TraceReason::kRelaxed;
    if (by_call) run.traces.push_back(&t);
    if (t.reason == TraceReason::kGetConcreteFunction)
      run.steps.push_back({t.start_ns, t.end_ns, &t, key_of(t), false, t.source});
  }
  for (const TraceRecord& t : records.traces)
    if (const auto at = functions_.find(t.function); at != functions_.end()) at->second.all_traces.push_back(&t);
  for (const session::FunctionRecord& f : records.functions) {
    if (const auto at = functions_.find(f.id); at != functions_.end()) at->second.record = &f;
  }
  for (const session::CallRecord& c : records.calls) {
    ++calls_[c.function];
    const TraceRecord* t = trace(c.trace);
    const auto at = functions_.find(c.function);
    ++calls_of_trace_[c.trace];
    if (at == functions_.end()) continue;
    if (!t && c.outcome == CallOutcome::kEager && c.key.valid()) {  // PyTorch left a trace that was there unused
      const auto same = std::ranges::find(at->second.traces, c.key, &TraceRecord::call_key);
      if (same != at->second.traces.end()) t = *same;
    }
    if (!t) continue;
    at->second.steps.push_back({c.start_ns, c.end_ns, t, words(c.key), true, c.source});
  }
  for (auto& [id, run] : functions_) {
    std::stable_sort(run.steps.begin(), run.steps.end(),
                     [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  }
}

uint64_t Evidence::calls_of(FunctionId function) const {
  const auto& counts = records_.counts ? records_.counts->of_function : calls_;
  const auto at = counts.find(function);
  return at == counts.end() ? 0 : at->second;
}

uint64_t Evidence::calls_of(TraceId trace) const {
  const auto& counts = records_.counts ? records_.counts->of_trace : calls_of_trace_;
  const auto at = counts.find(trace);
  return at == counts.end() ? 0 : at->second;
}

const ServedCalls& Evidence::served_calls() const {
  if (records_.counts) return records_.counts->served;
  if (!served_calls_) served_calls_ = explain::served_calls(records_);
  return *served_calls_;
}

const TraceRecord* Evidence::trace(TraceId id) const {
  const auto at = traces_.find(id);
  return at == traces_.end() ? nullptr : at->second;
}

const session::GraphRecord* Evidence::graph(GraphId id) const {
  const auto at = graphs_.find(id);
  return at == graphs_.end() ? nullptr : at->second;
}

void Evidence::complete_keys() {
  std::unordered_map<FunctionId, size_t> most;  // items of a key
  std::vector<std::pair<const session::KeyRecord*, size_t>> counts;
  for (const session::FunctionRecord& f : records_.functions)
    if (is_torch(&f)) most[f.id] = 0;
  for (const session::KeyRecord& k : records_.keys) {
    const auto at = most.find(k.function);
    if (at == most.end() || !keys_.contains(k.id)) continue;
    size_t count = 0, end = 0;
    for (const keys::ItemPlace& place : keys::places(k.words)) {
      if (place.begin < end) continue;  // inside of the item before
      ++count;
      end = place.end;
    }
    at->second = std::max(at->second, count);
    counts.emplace_back(&k, count);
  }
  for (const auto& [key, count] : counts) {
    if (count == most[key->function]) continue;
    std::vector<uint64_t>& words = completed_[key->id] = key->words;
    words.insert(words.end(), most[key->function] - count, static_cast<uint64_t>(keys::Token::kAny));
  }
}

std::span<const uint64_t> Evidence::words(KeyId key) const {
  if (const auto at = completed_.find(key); at != completed_.end()) return at->second;
  const auto at = keys_.find(key);
  return at == keys_.end() ? std::span<const uint64_t>() : at->second->words;
}

std::span<const uint64_t> Evidence::key_of(const TraceRecord& trace) const { return words(trace.call_key); }

int64_t Evidence::known_since(const TraceRecord& trace, const std::string& object) const {
  const auto at = keys_.find(trace.call_key);
  if (at == keys_.end()) return 0;
  const auto& names = at->second->names;
  const auto found = std::ranges::find(names, object, &session::KeyName::name);
  return found == names.end() ? 0 : found->since_ns;
}

GraphRelation Evidence::compare_graphs(std::span<const TraceRecord* const> traces, bool captures_may_differ) const {
  GraphRelation most = GraphRelation::kIdentical;
  for (const TraceRecord* t : traces) {
    if (!captures_may_differ && t->captured != traces.front()->captured) return GraphRelation::kStructure;
    most = std::max(most, fingerprints_.compare(traces.front()->graph(), t->graph()));
  }
  return most;
}

Line Evidence::line(SourceRef source) const {
  const auto at = codes_.find(source.code);
  if (at == codes_.end()) return {};
  const session::CodeRecord& code = *at->second;
  const auto next = std::upper_bound(code.lines.begin(), code.lines.end(), source.offset,
                                     [](uint32_t offset, const auto& l) { return offset < l.first_offset; });
  return {code.file, next == code.lines.begin() ? code.first_line : static_cast<int>(std::prev(next)->line)};
}

Line definition_of(const session::FunctionRecord& function) {
  return {function.file, function.decorator_line > 0 ? function.decorator_line : function.line};
}

Line def_of(const session::FunctionRecord& function) {
  return {function.file, function.line > 0 ? function.line : function.decorator_line};
}

const std::vector<std::string_view>& Evidence::lines(session::FileId id) const {
  const auto [at, added] = lines_.try_emplace(id);
  std::vector<std::string_view>& lines = at->second;
  const auto file = added ? std::ranges::find(records_.files, id, &session::FileRecord::id) : records_.files.end();
  if (file != records_.files.end()) {
    for (std::string_view rest = file->text;;) {
      const size_t end = rest.find('\n');
      lines.push_back(rest.substr(0, end));
      if (end == rest.npos) break;
      rest.remove_prefix(end + 1);
    }
  }
  return lines;
}

std::string_view Evidence::text(const Line& line) const {
  if (!line) return {};
  const std::vector<std::string_view>& all = lines(line.file);
  const auto number = static_cast<size_t>(line.line);
  return number <= all.size() ? all[number - 1] : std::string_view();
}

int Evidence::line_count(session::FileId file) const { return static_cast<int>(lines(file).size()); }

const session::ObservationRecord* Evidence::made_at(const FunctionRun& run, const Line& call, const std::string& path,
                                                    TraceId trace) const {
  std::string_view leaf = path;  // "len(args[0])" is about args[0]
  if (const size_t open = leaf.find("(args["); open != leaf.npos) leaf.remove_prefix(open + 1);
  const session::ObservationRecord* best = nullptr;
  for (const session::ObservationRecord& o : records_.observations) {
    if (o.kind != session::ObservationKind::kValueLine || o.function != run.id || !leaf.starts_with(o.path)) continue;
    if (o.file != call.file || o.line != call.line) continue;
    if (best && o.path.size() < best->path.size()) continue;
    // A later trace of the line is looked at again, and recorded if its lines are others: the last one before holds.
    const bool later = trace.valid() && o.trace.valid() && o.trace > trace;
    if (best && o.path.size() == best->path.size() && (later || !trace.valid())) continue;
    best = &o;
  }
  return best;
}

static std::vector<Line> lines_with(const session::ObservationRecord* observed, std::string_view role) {
  std::vector<Line> lines;
  if (!observed) return lines;
  for (const session::ObservedLine& l : observed->lines)
    if (l.role == role) lines.push_back({l.file, l.line});
  return lines;
}

std::vector<Line> Evidence::value_lines(const FunctionRun& run, const Line& call, const std::string& path,
                                        TraceId trace) const {
  return lines_with(made_at(run, call, path, trace), "value");
}

Line Evidence::passed_line(const FunctionRun& run, const Line& call, const std::string& path, TraceId trace) const {
  const std::vector<Line> lines = lines_with(made_at(run, call, path, trace), "call");
  return lines.empty() ? Line() : lines.front();
}

Line Evidence::value_line(const FunctionRun& run, const Line& call, const std::string& path, TraceId trace) const {
  const std::vector<Line> lines = value_lines(run, call, path, trace);
  return lines.empty() ? Line() : lines.front();
}

std::string capture_types(const TraceRecord& trace) {
  std::string types;
  for (const std::string& one : trace.captures) types += one.substr(std::min(one.find(' '), one.size())) + ';';
  return types;
}

const session::KeyLeaf* leaf_at(const TraceRecord& trace, const std::string& path) {
  for (const session::KeyLeaf& leaf : trace.key) {
    if (leaf.path == path) return &leaf;
  }
  return nullptr;
}

}  // namespace footlight::explain
