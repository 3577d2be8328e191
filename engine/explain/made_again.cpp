// A function is a library's if its nodes come from the library's files; its trace names the line of the program.
#include "engine/explain/made_again.h"

#include "engine/explain/edits.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace footlight::explain {
namespace {

// Functions of one definition have the same name, file and line.
using Definition = std::tuple<std::string, session::FileId, int>;
Definition definition_of(const FunctionRun& run) { return {run.record->name, run.record->file, run.record->line}; }

// Whether no node of the graph comes from a line of the program. The function's record does not tell: for a library's
// function it names the line that calls the library.
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

constexpr int kIteration = -1;

// Something that happened at the line: a function was made, or the line iterated over a pipeline.
struct Event {
  int64_t start_ns = 0, end_ns = 0;
  int kind = 0;  // the number of the definition of which a function is made; kIteration: over a pipeline
  uint64_t elements = 0, iterations = 0;
};

// After how many events the same kinds of events happen again, up to the last event; 0: they do not repeat. The first
// run of the line may differ, since a library then traces what it calls later.
size_t period_of(const std::vector<Event>& events) {
  for (size_t period = 1; period * 3 <= events.size(); ++period) {
    size_t alike = period;
    for (size_t i = events.size() - period; i-- > 0 && events[i].kind == events[i + period].kind;) ++alike;
    if (alike + 2 * period > events.size()) return period;
  }
  return 0;
}

// The events with which runs begin. Each run has one event of a kind that happens once in a period.
std::vector<size_t> run_starts(const std::vector<Event>& events) {
  const size_t period = period_of(events);
  if (!period) return {};
  for (size_t first = 0; first < period; ++first) {
    const auto same = [kind = events[first].kind](const Event& e) { return e.kind == kind; };
    if (std::count_if(events.end() - static_cast<std::ptrdiff_t>(period), events.end(), same) != 1) continue;
    std::vector<size_t> found;
    for (size_t i = first; i < events.size(); ++i)
      if (same(events[i])) found.push_back(i - first);
    return found;
  }
  return {};
}

}  // namespace

int64_t MadeAgain::tracing_ns() const {
  std::vector<const session::TraceRecord*> traces;
  for (const FunctionRun* run : functions) traces.insert(traces.end(), run->all_traces.begin(), run->all_traces.end());
  return session::tracing_time(traces);
}

std::vector<MadeAgain> made_again_by_line(const Evidence& evidence) {
  std::map<std::pair<Line, bool>, MadeAgain> lines;
  for (const auto& [id, run] : evidence.functions()) {
    if (!run.record || run.all_traces.empty()) continue;
    const SourceRef source = run.all_traces.front()->source;
    const Line line = evidence.line(source);
    if (!is_own(evidence, line)) continue;
    const bool by_library = stands_in_library(evidence, *run.all_traces.front());
    if (!by_library && run.record->kind != "dataset") continue;
    MadeAgain& made = lines[{line, by_library}];
    made.line = line;
    made.code = source.code;
    made.by_library = by_library;
    made.functions.push_back(&run);
  }
  std::vector<MadeAgain> all;
  for (auto& [key, made] : lines) {
    std::ranges::sort(made.functions, {}, [](const FunctionRun* run) { return run->all_traces.front()->start_ns; });
    std::map<Definition, size_t> times;
    for (const FunctionRun* run : made.functions) ++times[definition_of(*run)];
    std::erase_if(made.functions, [&](const FunctionRun* run) { return times[definition_of(*run)] < 2; });
    if (made.functions.empty()) continue;
    all.push_back(std::move(made));
  }
  return all;
}

namespace {

// Whether the line calls functions of several definitions: a fit() that also validates makes everything twice, which
// looks like two runs.
bool calls_several_functions(const Evidence& evidence, const Line& line) {
  std::set<Definition> called;
  for (const session::CallRecord& call : evidence.records().calls) {
    if (call.parent.valid() || evidence.line(call.source) != line) continue;
    const auto run = evidence.functions().find(call.function);
    if (run != evidence.functions().end() && run->second.record && run->second.record->kind != "dataset")
      called.insert(definition_of(run->second));
  }
  return called.size() > 1;
}

// In order of time; events of one kind that follow each other are one.
std::vector<Event> events_at_line(const Evidence& evidence, const MadeAgain& made) {
  std::map<Definition, int> numbers;
  std::vector<Event> events;
  for (const FunctionRun* run : made.functions) {
    const session::TraceRecord& first = *run->all_traces.front();
    const int kind = numbers.try_emplace(definition_of(*run), static_cast<int>(numbers.size())).first->second;
    events.push_back({first.start_ns, first.end_ns, kind});
  }
  for (const PipelineSums& p : evidence.records().pipelines)
    if (evidence.line(p.source) == made.line) events.push_back({p.first_ns, p.last_ns, kIteration, p.steps, 1});
  std::ranges::stable_sort(events, {}, &Event::start_ns);
  std::vector<Event> joined;
  for (const Event& e : events) {
    if (joined.empty() || joined.back().kind != e.kind) {
      joined.push_back(e);
      continue;
    }
    joined.back().end_ns = std::max(joined.back().end_ns, e.end_ns);
    joined.back().elements += e.elements;
    joined.back().iterations += e.iterations;
  }
  return joined;
}

}  // namespace

std::vector<LineRun> runs_of_line(const Evidence& evidence, const MadeAgain& made) {
  if (calls_several_functions(evidence, made.line)) return {};
  const std::vector<Event> events = events_at_line(evidence, made);
  const std::vector<size_t> starts = run_starts(events);
  std::vector<LineRun> runs;
  for (size_t r = 0; r < starts.size(); ++r) {
    LineRun& run = runs.emplace_back(LineRun{events[starts[r]].start_ns});
    for (size_t i = starts[r]; i < (r + 1 < starts.size() ? starts[r + 1] : events.size()); ++i) {
      run.end_ns = std::max(run.end_ns, events[i].end_ns);
      run.elements += events[i].elements;
      run.iterations += events[i].iterations;
    }
  }
  return runs;
}

}  // namespace footlight::explain
