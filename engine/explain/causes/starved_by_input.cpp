// starved_by_input: a loop that calls traced functions spends much of its time waiting for the elements of its
// pipeline. Fix: let the stage that works meanwhile run in several threads, or ahead.
#include "engine/base/error_words.h"
#include "engine/explain/findings.h"

#include "engine/explain/compare/text.h"
#include "engine/explain/words.h"
#include "engine/source/line.h"

#include <algorithm>

namespace footlight::explain {
namespace {

constexpr uint64_t kManySteps = 10;
constexpr uint64_t kManyWaits = 5;
constexpr double kLargeShare = 0.2;           // of an iteration
constexpr int64_t kMinWaitNs = 50'000'000;  // in all iterations
constexpr double kMinOfRun = 0.05;
// The stages have to work for these shares of the wait, together and the busiest alone. Where they did less, the wait
// has another reason, such as a busy processor.
constexpr double kMinWork = 0.5, kMinWorkOfOne = 0.3;
constexpr double kAllWork = 0.9;

// `.map(f)` with threads: where the call stands on one line and says nothing of them.
Finding::Edit parallel(const Evidence& evidence, const Line& line, const std::string& name) {
  const std::string_view text = evidence.text(line);
  const size_t at = text.find("." + name + "(");
  if (at == text.npos || text.find("num_parallel_calls") != text.npos) return {};
  const auto arguments = source::arguments_from(text, at + name.size() + 2);
  if (!arguments) return {};
  const auto end = static_cast<size_t>(arguments->back().data() + arguments->back().size() - text.data());
  const std::string old(text.substr(at, end - at));
  if (old.find_first_of("\"'") != old.npos) return {};
  return {line, old + ")", old + ", num_parallel_calls=tf.data.AUTOTUNE)"};
}

// Nobody is to edit the file of a library.
bool is_own(const Evidence& evidence, const Line& line) {
  const auto& files = evidence.records().files;
  const auto file = std::ranges::find(files, line.file, &session::FileRecord::id);
  return file != files.end() && is_users_file(file->path);
}

bool starves(const PipelineSums& p) {
  const int64_t all_ns = std::max<int64_t>(1, p.last_ns - p.first_ns);
  const double share = static_cast<double>(p.wait_ns) / static_cast<double>(all_ns);
  if (share < kLargeShare || p.stages.empty()) return false;
  return p.calls * 2 >= p.steps;  // else nobody computes with the elements
}

// One pipeline in all of the iterations in which it starves: an epoch is one of them.
struct Pipeline {
  PipelineSums sums;
  size_t iterations = 0;
};

bool are_same(const PipelineSums& a, const PipelineSums& b) {
  const auto same_stage = [](const PipelineStage& x, const PipelineStage& y) {
    return x.name == y.name && x.source == y.source;
  };
  return a.source == b.source && std::ranges::equal(a.stages, b.stages, same_stage);
}

std::vector<Pipeline> by_pipeline(std::span<const PipelineSums> iterations) {
  std::vector<Pipeline> all;
  for (const PipelineSums& one : iterations) {
    if (!starves(one)) continue;
    auto known = std::ranges::find_if(all, [&](const Pipeline& p) { return are_same(p.sums, one); });
    if (known == all.end()) {
      all.push_back({one, 0});
      known = all.end() - 1;
    } else {
      known->sums.steps += one.steps;
      known->sums.waits += one.waits;
      known->sums.wait_ns += one.wait_ns;
      known->sums.calls += one.calls;
      for (size_t i = 0; i < one.stages.size(); ++i) known->sums.stages[i].work_ns += one.stages[i].work_ns;
    }
    ++known->iterations;
  }
  std::erase_if(all, [](const Pipeline& p) { return p.sums.steps < kManySteps || p.sums.waits < kManyWaits; });
  return all;
}

void find_starved_by_input(const Evidence& evidence, Findings& to) {
  for (const auto& [p, iterations] : by_pipeline(evidence.records().pipelines)) {
    const double least = kMinOfRun * static_cast<double>(evidence.records().run_ns);
    if (p.wait_ns < kMinWaitNs || static_cast<double>(p.wait_ns) < least) continue;
    const PipelineStage& stage = *std::ranges::max_element(p.stages, {}, &PipelineStage::work_ns);
    double all_work = 0;
    for (const PipelineStage& one : p.stages) all_work += static_cast<double>(one.work_ns);
    const auto wait = static_cast<double>(p.wait_ns);
    if (all_work < kMinWork * wait || static_cast<double>(stage.work_ns) < kMinWorkOfOne * wait) continue;
    Finding f;
    f.path = stage.name;
    f.line = evidence.line(stage.source);
    f.code = stage.source.code;
    if (const Line taken = evidence.line(p.source)) f.related.push_back({"use", taken});
    f.graphs = GraphRelation::kUnknown;
    f.calls = p.steps;
    f.counted = "elements";
    f.cost_ns = f.saved_ns = p.wait_ns;
    f.checked.why_not = "run again to measure it";
    f.title = "The program waits for its input: " + stage.name + " is slow";
    f.detail = with_commas(p.waits) + " of " + with_commas(p.steps) + " steps" +
               (iterations > 1 ? " in " + with_commas(iterations) + " iterations" : std::string()) + " waited for " +
               stage.name + (f.line ? " at line " + std::to_string(f.line.line) : std::string()) + ": " +
               time_text(static_cast<double>(p.wait_ns)) + " in all";
    if (static_cast<double>(stage.work_ns) < kAllWork * static_cast<double>(p.wait_ns))
      f.detail += ", " + time_text(static_cast<double>(stage.work_ns)) + " of which " + stage.name + " worked";
    const bool maps = stage.name == "map" || stage.name == "interleave";
    if (maps && is_own(evidence, f.line)) f.edit = parallel(evidence, f.line, stage.name);
    const std::string ahead = ".prefetch(tf.data.AUTOTUNE) at the end of the pipeline";
    if (f.edit.at) f.fix = "Run it in several threads: num_parallel_calls=tf.data.AUTOTUNE";
    else if (!p.ahead) f.fix = "Make elements ahead: " + ahead;
    else f.fix = "Make " + stage.name + " cheaper, or cache() what it gives";
    if (f.edit.at && !p.ahead) also(f, "Make elements ahead: " + ahead, f.checked);
    to.found.push_back(std::move(f));
  }
}

const Cause starved_by_input("starved_by_input", find_starved_by_input);

}  // namespace
}  // namespace footlight::explain
