// starved_by_input: a loop that calls traced functions spends much of its time waiting for the elements of its
// pipeline. Fix: let the slow stage run in several threads, or ahead. Where the stage computes in Python, threads do
// not help, since one at a time holds the interpreter: tensor operations come first there.
#include "engine/explain/edits.h"
#include "engine/explain/findings.h"

#include "engine/explain/compare/text.h"
#include "engine/explain/python_runs.h"
#include "engine/explain/words.h"
#include "engine/source/line.h"

#include <algorithm>
#include <map>
#include <set>

namespace footlight::explain {
namespace {

constexpr uint64_t kManySteps = 10;
constexpr uint64_t kManyWaits = 5;
constexpr double kLargeShare = 0.2;         // of an iteration
// The stages have to work for these shares of the wait, together and the busiest alone. Where they did less, the wait
// has another reason, such as a busy processor.
constexpr double kMinWork = 0.5, kMinWorkOfOne = 0.3;
constexpr double kAllWork = 0.9;
// From these shares on, a stage's work is that of a Python function, and that function computes.
constexpr double kMostlyPython = 0.5, kMostlyBusy = 0.5;
// Elements made ahead help only if they hide this share of the wait.
constexpr double kLargeGain = 0.3;

// Stages that pass on what others made.
constexpr std::string_view kPassingOn[] = {"assert_cardinality", "cache",   "concatenate", "directed_interleave",
                                           "ignore_errors",      "options", "prefetch",    "repeat",
                                           "shard",              "shuffle", "skip",        "take", "zip"};

// The positions of ".map(" in a line.
std::vector<size_t> calls_in(std::string_view text, const std::string& name) {
  std::vector<size_t> calls;
  const std::string call = "." + name + "(";
  for (size_t at = text.find(call); at != text.npos; at = text.find(call, at + 1)) calls.push_back(at);
  return calls;
}

// The edit that runs the stage's `.map(f)` in threads. The call must stand on one line, without num_parallel_calls. Of
// several in one line, the instructions of the stages tell which is which.
Finding::Edit with_threads(const Evidence& evidence, const PipelineSums& p, const PipelineStage& stage,
                           const Line& line) {
  const std::string_view text = evidence.text(line);
  const std::vector<size_t> calls = calls_in(text, stage.name);
  std::set<uint32_t> offsets;
  for (const PipelineStage& other : p.stages)
    if (other.name == stage.name && evidence.line(other.source) == line) offsets.insert(other.source.offset);
  if (calls.empty() || (calls.size() > 1 && calls.size() != offsets.size())) return {};
  const auto place = static_cast<size_t>(std::distance(offsets.begin(), offsets.lower_bound(stage.source.offset)));
  const size_t at = calls[calls.size() > 1 ? place : 0];
  const auto arguments = source::arguments_from(text, at + stage.name.size() + 2);
  if (!arguments) return {};
  const auto end = static_cast<size_t>(arguments->back().data() + arguments->back().size() - text.data());
  const std::string old(text.substr(at, end - at));
  if (old.find("num_parallel_calls") != old.npos || old.find_first_of("\"'") != old.npos) return {};
  return {line, old + ")", old + ", num_parallel_calls=tf.data.AUTOTUNE)"};
}

// The functions that were traced for the stage, by its instruction: name, and how many traces were made there.
std::map<std::string, size_t> traces_by_function(const Evidence& evidence, const PipelineStage& stage) {
  const std::string start = "Dataset_" + stage.name + '_';
  std::map<std::string, size_t> traces;
  if (!stage.source.code.valid()) return traces;
  for (const auto& [id, run] : evidence.functions())
    if (run.record->name.starts_with(start))
      for (const session::TraceRecord* t : run.all_traces)
        if (t->source == stage.source) ++traces[run.record->name.substr(start.size())];
  return traces;
}

// "map(enrich)": the stage with the function that it was given; "map" if it has none, or one without a name.
std::string stage_text(const Evidence& evidence, const PipelineStage& stage) {
  const auto functions = traces_by_function(evidence, stage);
  const bool is_named = functions.size() == 1 && !functions.begin()->first.starts_with('<');
  return is_named ? stage.name + '(' + functions.begin()->first + ')' : stage.name;
}

bool starves(const PipelineSums& p) {
  const int64_t all_ns = std::max<int64_t>(1, p.last_ns - p.first_ns);
  const double share = static_cast<double>(p.wait_ns) / static_cast<double>(all_ns);
  if (share < kLargeShare || p.stages.empty()) return false;
  return p.calls * 2 >= p.steps;  // else nobody computes with the elements
}

// Sums over the iterations in which one pipeline is too slow. An epoch is one iteration.
struct Pipeline {
  PipelineSums sums;
  size_t iterations = 0;
  int64_t all_ns = 0;            // from the first request to the last element, in all iterations
  uint64_t alike_iterations = 0;  // those with as many elements as the first one

  // The time that the loop spends on other things: elements made ahead hide no more of the wait.
  int64_t outside_ns() const { return std::max<int64_t>(0, all_ns - sums.wait_ns); }
};

bool are_same(const Evidence& evidence, const PipelineSums& a, const PipelineSums& b) {
  const auto same_stage = [](const PipelineStage& x, const PipelineStage& y) {
    return x.name == y.name && x.source == y.source;
  };
  // Lines are compared, not instructions: a library takes the elements of its first epoch elsewhere in its code.
  return evidence.line(a.source) == evidence.line(b.source) && std::ranges::equal(a.stages, b.stages, same_stage);
}

std::vector<Pipeline> by_pipeline(const Evidence& evidence) {
  std::vector<Pipeline> all;
  for (const PipelineSums& one : evidence.records().pipelines) {
    if (!starves(one)) continue;
    auto known = std::ranges::find_if(all, [&](const Pipeline& p) { return are_same(evidence, p.sums, one); });
    if (known == all.end()) {
      all.push_back({one});
      known = all.end() - 1;
    } else {
      known->alike_iterations += one.steps == known->sums.steps / known->iterations;
      known->sums.steps += one.steps;
      known->sums.waits += one.waits;
      known->sums.wait_ns += one.wait_ns;
      known->sums.calls += one.calls;
      for (size_t i = 0; i < one.stages.size(); ++i) {
        PipelineStage& sum = known->sums.stages[i];
        sum.work_ns += one.stages[i].work_ns;
        sum.waits += one.stages[i].waits;
        sum.wait_ns += one.stages[i].wait_ns;
      }
    }
    ++known->iterations;
    known->all_ns += one.last_ns - one.first_ns;
  }
  // The later iterations may take what the first one has put into a cache, and then have fewer stages.
  const auto steps_of_all = [&](const Pipeline& p) {
    uint64_t steps = 0;
    for (const PipelineSums& one : evidence.records().pipelines)
      if (evidence.line(one.source) == evidence.line(p.sums.source)) steps += one.steps;
    return steps;
  };
  std::erase_if(all, [&](const Pipeline& p) { return p.sums.waits < kManyWaits || steps_of_all(p) < kManySteps; });
  return all;
}

bool passes_on(const PipelineStage& stage) { return std::ranges::find(kPassingOn, stage.name) != std::end(kPassingOn); }

// Whether the pipeline was built for each iteration: its functions were then traced each time.
bool is_made_anew(const Evidence& evidence, const PipelineSums& p) {
  return std::ranges::any_of(p.stages, [&](const PipelineStage& stage) {
    size_t traces = 0;
    for (const auto& [name, count] : traces_by_function(evidence, stage)) traces += count;
    return traces > 1;
  });
}

// The edit that lets the interleave which makes the stage's datasets read several of them at once.
Finding::Edit interleaved_in_threads(const Evidence& evidence, const PipelineSums& p, const PipelineStage& stage) {
  if (stage.interleaved_by >= p.stages.size()) return {};
  const PipelineStage& interleave = p.stages[stage.interleaved_by];
  const Line line = evidence.line(interleave.source);
  return is_own(evidence, line) ? with_threads(evidence, p, interleave, line) : Finding::Edit();
}

// What to do where the stage makes the same elements several times; empty if it does not, or if a cache keeps them.
std::string text_of_keeping(const Evidence& evidence, const Pipeline& p, size_t at) {
  const std::vector<PipelineStage>& stages = p.sums.stages;
  const auto is_random = [](const PipelineStage& s) { return s.name == "shuffle" || s.name == "random"; };
  if (std::any_of(stages.begin() + static_cast<std::ptrdiff_t>(at), stages.end(), is_random)) return {};
  bool is_kept = false, repeats = false;
  for (size_t i = at; i >= stages[i].up;) {
    i -= stages[i].up;
    is_kept |= stages[i].name == "cache" || stages[i].name == "snapshot";
    if (stages[i].name == "repeat") repeats |= !is_kept;
  }
  const bool is_anew = is_made_anew(evidence, p.sums);
  if (!repeats && !(p.alike_iterations > 0 && (is_anew || !is_kept))) return {};
  const std::string same = ", if each epoch may get the same elements";
  if (!is_anew) return "Keep what it gives: .cache() behind " + stages[at].name + same;
  if (is_kept && !repeats) return "Make the pipeline once, before the loop: each new one fills its cache again" + same;
  return "Make the pipeline once, before the loop, with .cache() behind " + stages[at].name + same;
}

// Adds what to do about the wait, the best first. Only the first may be an edit that the window offers at once.
void add_fixes(const Evidence& evidence, const Pipeline& p, size_t at, Finding& f) {
  const PipelineStage& stage = p.sums.stages[at];
  const PythonRuns python = python_runs_of(evidence, stage);
  const bool is_python = static_cast<double>(python.spent_ns) >= kMostlyPython * static_cast<double>(stage.work_ns);
  const bool holds_python = is_python && python.runs && static_cast<double>(python.busy_ns) >=
                                                            kMostlyBusy * static_cast<double>(python.spent_ns);
  const bool is_generator = stage.name == "from_generator";
  const std::string keep = text_of_keeping(evidence, p, at);
  const std::string write_ops = "Write " + python.name + " with tensor operations, or call it once for a whole batch";
  std::vector<std::string> fixes;
  if (holds_python) {
    f.detail += "; " + python.name + ", which is Python, took " + time_text(static_cast<double>(python.spent_ns)) +
                " in " + with_commas(python.runs) + " runs, and it computed for " +
                time_text(static_cast<double>(python.busy_ns)) + " of that: one thread at a time runs Python";
    fixes.push_back(write_ops);
    if (!keep.empty()) fixes.push_back(keep);
  }
  const bool maps = stage.name == "map" || stage.name == "interleave";
  if (maps && !holds_python && is_own(evidence, f.line)) f.edit = with_threads(evidence, p.sums, stage, f.line);
  if (f.edit.at) fixes.push_back("Run it in several threads: num_parallel_calls=tf.data.AUTOTUNE");
  const Finding::Edit interleaved = holds_python ? Finding::Edit() : interleaved_in_threads(evidence, p.sums, stage);
  const bool hides_much = static_cast<double>(p.outside_ns()) >= kLargeGain * static_cast<double>(p.sums.wait_ns);
  std::string ahead = "Make elements ahead: .prefetch(tf.data.AUTOTUNE) at the end of the pipeline";
  if (p.outside_ns() < p.sums.wait_ns)
    ahead += ", which hides at most the " + time_text(static_cast<double>(p.outside_ns())) +
             " that the loop spends on other things";
  if (!p.sums.ahead && hides_much) fixes.push_back(ahead);
  if (is_python && python.runs && !holds_python)
    fixes.push_back(write_ops);
  const std::string what = is_generator ? "the generator" : stage_text(evidence, stage);
  if (fixes.empty()) fixes.push_back("Make " + what + " cheaper");
  if (!keep.empty() && !holds_python) fixes.push_back(keep);
  if (!p.sums.ahead && !hides_much) fixes.push_back(ahead);
  f.fix = fixes.front();
  for (size_t i = 1; i < fixes.size(); ++i) add_alternative(f, fixes[i], f.checked);
  if (interleaved.at)
    add_alternative(f,
                    "Let interleave read several datasets at once: num_parallel_calls=tf.data.AUTOTUNE at line " +
                        std::to_string(interleaved.at.line) +
                        (is_generator ? ", unless the generator computes: one thread at a time runs Python" : ""),
                    f.checked, interleaved);
}

void find_starved_by_input(const Evidence& evidence, Findings& findings) {
  for (const Pipeline& pipeline : by_pipeline(evidence)) {
    const PipelineSums& p = pipeline.sums;
    double all_work = 0;
    size_t slowest = p.stages.size();
    for (size_t i = 0; i < p.stages.size(); ++i) {
      all_work += static_cast<double>(p.stages[i].work_ns);
      if (passes_on(p.stages[i])) continue;
      if (slowest == p.stages.size() || p.stages[i].work_ns > p.stages[slowest].work_ns) slowest = i;
    }
    if (slowest == p.stages.size()) continue;
    const PipelineStage& stage = p.stages[slowest];
    const std::string name = stage_text(evidence, stage);
    const auto wait = static_cast<double>(p.wait_ns);
    if (all_work < kMinWork * wait || static_cast<double>(stage.work_ns) < kMinWorkOfOne * wait) continue;
    if (stage.waits < kManyWaits || !costs_enough(evidence, stage.wait_ns)) continue;
    Finding f;
    f.path = stage.name;
    f.line = evidence.line(stage.source);
    f.code = stage.source.code;
    const Line taken = evidence.line(p.source);
    // A stage that a library added is named where the program calls the library.
    if (is_own(evidence, taken) && !is_own(evidence, f.line)) f.line = taken, f.code = p.source.code;
    else if (taken) f.related.push_back({"use", taken});
    f.graphs = GraphRelation::kUnknown;
    f.calls = p.steps;
    f.counted = "elements";
    f.cost_ns = f.saved_ns = stage.wait_ns;
    f.checked.why_not = "run again to measure it";
    f.title = "The program waits for its input: " + name + " is slow";
    f.detail = with_commas(stage.waits) + " of " + with_commas(p.steps) + " steps" +
               (pipeline.iterations > 1 ? " in " + with_commas(pipeline.iterations) + " iterations" : std::string()) +
               " waited for " + name + (f.line ? " at line " + std::to_string(f.line.line) : std::string()) +
               ": " + time_text(static_cast<double>(stage.wait_ns)) + " in all";
    if (static_cast<double>(stage.work_ns) < kAllWork * static_cast<double>(stage.wait_ns))
      f.detail += ", " + time_text(static_cast<double>(stage.work_ns)) + " of which " + name + " worked";
    add_fixes(evidence, pipeline, slowest, f);
    findings.found.push_back(std::move(f));
  }
}

const Cause starved_by_input("starved_by_input", find_starved_by_input);

}  // namespace
}  // namespace footlight::explain
