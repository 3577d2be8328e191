// pipeline_made_in_loop: the program builds the same pipeline again and again, and its functions are traced again each
// time; what cache() kept is lost with it. Fix: build it once, and iterate over it again.
#include "engine/explain/findings.h"
#include "engine/explain/made_again.h"

#include "engine/explain/compare/text.h"
#include "engine/explain/words.h"

#include <algorithm>
#include <tuple>

namespace footlight::explain {
namespace {

constexpr size_t kManyTimes = 3;
constexpr MinCost kMinTracing{.ns = 5'000'000, .share_of_run = 0.01};

// The end of the function's last call, which is when an element was last asked of its stage.
int64_t last_used_ns(const FunctionRun& run) {
  int64_t last = run.all_traces.front()->end_ns;
  for (const FunctionRun::Step& step : run.steps) last = std::max(last, step.end_ns);
  return last;
}

// Takes one stage's functions in the order of their making: whether each was last called before the next was made.
bool is_made_in_turn(const std::vector<const FunctionRun*>& runs) {
  for (size_t i = 0; i + 1 < runs.size(); ++i)
    if (last_used_ns(*runs[i]) > runs[i + 1]->all_traces.front()->start_ns) return false;
  return true;
}

bool are_alike(const Evidence& evidence, const std::vector<const FunctionRun*>& runs) {
  std::vector<const session::TraceRecord*> traces;
  for (const FunctionRun* run : runs) traces.push_back(run->all_traces.front());
  return evidence.compare_graphs(traces, true) <= GraphRelation::kConstants;
}

// The stages that one function of the program makes again, each as often as the others.
struct Pipeline {
  std::vector<Line> lines;
  CodeId code;
  size_t times = 0;
  std::vector<const FunctionRun*> functions;
};

void find_pipeline_made_in_loop(const Evidence& evidence, Findings& findings) {
  std::map<std::pair<CodeId, size_t>, Pipeline> pipelines;
  for (const MadeAgain& made : made_again_by_line(evidence)) {
    if (made.by_library) continue;
    std::map<std::tuple<CodeId, uint32_t, std::string>, std::vector<const FunctionRun*>> stages;
    for (const FunctionRun* run : made.functions) {
      const SourceRef source = run->all_traces.front()->source;
      stages[{source.code, source.offset, run->record->name}].push_back(run);
    }
    for (const auto& [stage, runs] : stages) {
      if (runs.size() < kManyTimes || !is_made_in_turn(runs) || !are_alike(evidence, runs)) continue;
      Pipeline& p = pipelines[{made.code, runs.size()}];
      if (p.lines.empty() || p.lines.back() != made.line) p.lines.push_back(made.line);
      p.code = made.code;
      p.times = runs.size();
      p.functions.insert(p.functions.end(), runs.begin(), runs.end());
    }
  }
  for (const auto& [key, p] : pipelines) {
    std::vector<const session::TraceRecord*> traces;
    for (const FunctionRun* run : p.functions)
      traces.insert(traces.end(), run->all_traces.begin(), run->all_traces.end());
    const int64_t ns = session::tracing_time(traces);
    if (!costs_enough(evidence, ns, kMinTracing)) continue;
    Finding f;
    f.line = p.lines.front();
    f.code = p.code;
    for (size_t i = 1; i < p.lines.size(); ++i) f.related.push_back({"definition", p.lines[i]});
    f.graphs = GraphRelation::kIdentical;
    f.calls = p.times;
    f.counted = "pipelines";
    f.cost_ns = f.saved_ns = ns;
    f.checked.why_not = "run again to measure it";
    const auto code = std::ranges::find(evidence.records().codes, p.code, &session::CodeRecord::id);
    const bool known = code != evidence.records().codes.end() && !code->qualname.starts_with('<');
    const std::string name = known ? std::string(last_name(code->qualname)) : std::string();
    f.path = name;
    f.title = (known ? "The pipeline of " + name : "A pipeline") + " is built anew " + with_commas(p.times) + " times";
    f.detail = "Each time its functions were traced again: " + with_commas(p.functions.size()) + " functions, " +
               with_commas(traces.size()) + " traces, " + time_text(static_cast<double>(ns)) +
               " in all; none of the pipelines was used any more once the next was built";
    f.fix = "Build it once, outside of the loop, and iterate over it again; then cache() keeps what it makes, too";
    findings.found.push_back(std::move(f));
  }
}

const Cause pipeline_made_in_loop("pipeline_made_in_loop", find_pipeline_made_in_loop);

}  // namespace
}  // namespace footlight::explain
