// starved_by_input: a loop that calls traced functions spends much of its time waiting for the elements of its
// pipeline. Fix: let the stage that works meanwhile run in several threads, or ahead.
#include "engine/explain/findings.h"

#include "engine/explain/compare/text.h"

#include <algorithm>

namespace footlight::explain {
namespace {

constexpr uint64_t kManySteps = 10;
constexpr uint64_t kManyWaits = 5;
constexpr double kLargeShare = 0.2;

// `.map(f)` with threads: where the call stands on one line and says nothing of them.
Finding::Edit parallel(const Evidence& evidence, const Line& line, const std::string& name) {
  const std::string_view text = evidence.text(line);
  const size_t at = text.find("." + name + "(");
  if (at == text.npos || text.find("num_parallel_calls") != text.npos) return {};
  int depth = 0;
  for (size_t i = at; i < text.size(); ++i) {
    if (text[i] == '"' || text[i] == '\'' || text[i] == '#') return {};
    depth += text[i] == '(' || text[i] == '[' || text[i] == '{';
    depth -= text[i] == ')' || text[i] == ']' || text[i] == '}';
    if (depth || text[i] != ')') continue;
    const std::string old(text.substr(at, i - at));
    return {line, old + ")", old + ", num_parallel_calls=tf.data.AUTOTUNE)"};
  }
  return {};
}

void find_starved_by_input(const Evidence& evidence, Findings& to) {
  for (const PipelineSums& p : evidence.records().pipelines) {
    const int64_t all_ns = std::max<int64_t>(1, p.last_ns - p.first_ns);
    const double share = static_cast<double>(p.wait_ns) / static_cast<double>(all_ns);
    if (p.steps < kManySteps || p.waits < kManyWaits || share < kLargeShare || p.stages.empty()) continue;
    if (p.calls * 2 < p.steps) continue;  // nobody computes with the elements
    const PipelineStage& stage = *std::ranges::max_element(p.stages, {}, &PipelineStage::work_ns);
    Finding f;
    f.path = stage.name;
    f.line = evidence.line(stage.source);
    f.code = stage.source.code;
    if (const Line taken = evidence.line(p.source)) f.related.push_back({"use", taken});
    f.graphs = GraphRelation::kUnknown;
    f.calls = p.steps;
    f.cost_ns = f.saved_ns = p.wait_ns;
    f.checked.why_not = "only a run with the change can show what it saves";
    f.title = "the input pipeline starves the program: " + stage.name + " is slow";
    f.detail = std::to_string(p.waits) + " of " + std::to_string(p.steps) + " steps waited for " + stage.name +
               (f.line ? " at line " + std::to_string(f.line.line) : std::string()) + ", " +
               time_text(static_cast<double>(p.wait_ns)) + " in all, " +
               std::to_string(static_cast<int>(std::min(share, 1.0) * 100 + 0.5)) + " % of the time";
    const bool maps = stage.name == "map" || stage.name == "interleave";
    if (maps) f.edit = parallel(evidence, f.line, stage.name);
    const std::string ahead = ".prefetch(tf.data.AUTOTUNE) at the end of the pipeline";
    if (f.edit.at) f.fix = "run it in several threads: num_parallel_calls=tf.data.AUTOTUNE";
    else if (!p.ahead) f.fix = "make elements ahead: " + ahead;
    else f.fix = "make " + stage.name + " cheaper, or cache() what it gives";
    if (f.edit.at && !p.ahead) also(f, "make elements ahead: " + ahead, f.checked);
    to.found.push_back(std::move(f));
  }
}

const Cause starved_by_input("starved_by_input", find_starved_by_input);

}  // namespace
}  // namespace footlight::explain
