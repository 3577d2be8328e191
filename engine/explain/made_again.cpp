// The nodes of what a library makes stand in its files; the trace names the line of the program.
#include "engine/explain/made_again.h"

#include "engine/base/error_words.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace footlight::explain {
namespace {

// Where functions of one kind are defined.
using Definition = std::tuple<std::string, session::FileId, int>;
Definition definition(const FunctionRun& run) { return {run.record->name, run.record->file, run.record->line}; }

// No node of its graph comes from a line of the program. The record of such a function names the line that calls the
// library, so it does not tell.
bool stands_in_library(const Evidence& evidence, const session::TraceRecord& trace) {
  const session::GraphRecord* graph = trace.graphs.empty() ? nullptr : evidence.graph(trace.graphs.front().graph);
  if (!graph) return false;
  bool any = false;
  for (const session::NodeRecord& node : graph->nodes) {
    const Line line = evidence.line(node.source);
    if (line && is_own(evidence, line)) return false;
    any |= static_cast<bool>(line);
  }
  return any;
}

// Something that happened at the line, in order of time.
struct Event {
  int64_t start_ns = 0, end_ns = 0;
  int what = 0;  // the same for functions of one definition that are made; -1: an iteration
  uint64_t elements = 0, iterations = 0;
};

// After how many events the same ones happen again, up to the last; the first run of the line may do something else, as
// a library traces then what it calls later. 0: they do not repeat.
size_t period_of(const std::vector<Event>& events) {
  for (size_t period = 1; period * 3 <= events.size(); ++period) {
    size_t alike = period;
    for (size_t i = events.size() - period; i-- > 0 && events[i].what == events[i + period].what;) ++alike;
    if (alike + 2 * period > events.size()) return period;
  }
  return 0;
}

// Where runs begin: each has one event of a kind that happens once in a period.
std::vector<size_t> beginnings(const std::vector<Event>& events) {
  const size_t period = period_of(events);
  if (!period) return {};
  const auto is = [](int what) { return [what](const Event& e) { return e.what == what; }; };
  for (size_t first = 0; first < period; ++first) {
    const auto same = is(events[first].what);
    if (std::count_if(events.end() - static_cast<std::ptrdiff_t>(period), events.end(), same) != 1) continue;
    std::vector<size_t> found;
    for (size_t i = first; i < events.size(); ++i)
      if (same(events[i])) found.push_back(i - first);
    return found;
  }
  return {};
}

}  // namespace

int64_t MadeAt::tracing_ns() const {
  std::vector<const session::TraceRecord*> traces;
  for (const FunctionRun* run : functions) traces.insert(traces.end(), run->all_traces.begin(), run->all_traces.end());
  return session::tracing_time(traces);
}

bool is_own(const Evidence& evidence, const Line& line) {
  const auto& files = evidence.records().files;
  const auto file = std::ranges::find(files, line.file, &session::FileRecord::id);
  return file != files.end() && is_users_file(file->path);
}

std::vector<MadeAt> made_at_lines(const Evidence& evidence) {
  std::map<std::pair<Line, bool>, MadeAt> lines;
  for (const auto& [id, run] : evidence.functions()) {
    if (!run.record || run.all_traces.empty()) continue;
    const SourceRef source = run.all_traces.front()->source;
    const Line line = evidence.line(source);
    if (!is_own(evidence, line)) continue;
    const bool by_library = stands_in_library(evidence, *run.all_traces.front());
    if (!by_library && run.record->kind != "dataset") continue;
    MadeAt& made = lines[{line, by_library}];
    made.line = line;
    made.code = source.code;
    made.by_library = by_library;
    made.functions.push_back(&run);
  }
  std::vector<MadeAt> all;
  for (auto& [key, made] : lines) {
    std::ranges::sort(made.functions, {}, [](const FunctionRun* run) { return run->all_traces.front()->start_ns; });
    std::map<Definition, size_t> times;
    for (const FunctionRun* run : made.functions) ++times[definition(*run)];
    std::erase_if(made.functions, [&](const FunctionRun* run) { return times[definition(*run)] < 2; });
    if (made.functions.empty()) continue;
    all.push_back(std::move(made));
  }
  return all;
}

std::vector<LineRun> runs_of_line(const Evidence& evidence, const MadeAt& made) {
  // A call that also validates makes everything twice, which looks like two calls.
  std::set<Definition> called;
  std::map<Definition, int> numbers;
  std::vector<Event> events;
  for (const session::CallRecord& call : evidence.records().calls) {
    if (call.parent.valid() || evidence.line(call.source) != made.line) continue;
    const auto run = evidence.functions().find(call.function);
    if (run != evidence.functions().end() && run->second.record && run->second.record->kind != "dataset")
      called.insert(definition(run->second));
  }
  if (called.size() > 1) return {};
  for (const FunctionRun* run : made.functions) {
    const session::TraceRecord& first = *run->all_traces.front();
    const int what = numbers.try_emplace(definition(*run), static_cast<int>(numbers.size())).first->second;
    events.push_back({first.start_ns, first.end_ns, what});
  }
  for (const PipelineSums& p : evidence.records().pipelines)
    if (evidence.line(p.source) == made.line) events.push_back({p.first_ns, p.last_ns, -1, p.steps, 1});
  std::ranges::stable_sort(events, {}, &Event::start_ns);
  std::vector<Event> joined;
  for (const Event& e : events) {
    if (joined.empty() || joined.back().what != e.what) {
      joined.push_back(e);
      continue;
    }
    joined.back().end_ns = std::max(joined.back().end_ns, e.end_ns);
    joined.back().elements += e.elements;
    joined.back().iterations += e.iterations;
  }
  std::vector<LineRun> runs;
  const std::vector<size_t> begin = beginnings(joined);
  for (size_t r = 0; r < begin.size(); ++r) {
    LineRun& run = runs.emplace_back(LineRun{joined[begin[r]].start_ns});
    for (size_t i = begin[r]; i < (r + 1 < begin.size() ? begin[r + 1] : joined.size()); ++i) {
      run.end_ns = std::max(run.end_ns, joined[i].end_ns);
      run.elements += joined[i].elements;
      run.iterations += joined[i].iterations;
    }
  }
  return runs;
}

}  // namespace footlight::explain
