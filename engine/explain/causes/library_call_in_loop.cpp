// library_call_in_loop: a line calls a library again and again, which makes and traces functions in each call: Keras
// builds a pipeline in each predict(). Fix: call the model itself, or the library once for all inputs.
#include "engine/explain/findings.h"
#include "engine/explain/made_again.h"

#include "engine/explain/compare/text.h"
#include "engine/explain/words.h"

#include <algorithm>
#include <cctype>

namespace footlight::explain {
namespace {

constexpr size_t kManyCalls = 10;
constexpr double kFewElements = 2;    // per iteration over a pipeline; for more of them a pipeline is worth its cost
constexpr double kMuchTracing = 0.2;  // share of the time, where the line iterates over no pipeline

// "model" of "q = model.predict(s)"; empty if the line does not call that method.
std::string called_on(std::string_view text, std::string_view method) {
  const std::string call = '.' + std::string(method) + '(';
  const size_t at = text.find(call);
  if (at == text.npos) return {};
  const auto is_of_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
  size_t begin = at;
  while (begin > 0 && is_of_name(text[begin - 1])) --begin;
  return std::string(text.substr(begin, at - begin));
}

// Names the method of Keras for one small input or one batch.
std::string fix_of(std::string_view text) {
  if (const std::string model = called_on(text, "predict"); !model.empty())
    return "Call " + model + "(x) for small inputs, which makes nothing anew, or " + model +
           ".predict once for a batch of them";
  if (const std::string model = called_on(text, "fit"); !model.empty())
    return "Call " + model + ".train_on_batch for one batch, which makes nothing anew, or " + model +
           ".fit once for all of them";
  if (const std::string model = called_on(text, "evaluate"); !model.empty())
    return "Call " + model + ".test_on_batch for one batch, which makes nothing anew, or " + model +
           ".evaluate once for all of them";
  return "Call it once for all inputs, outside of the loop";
}

// Whether the calls take much of the run, or make most traces of the program: the import of a library or a long wait
// elsewhere makes nothing of what they cost.
bool is_much(const Evidence& evidence, int64_t ns, size_t traces) {
  return costs_enough(evidence, ns) || (ns >= MinCost().ns && traces * 2 > evidence.records().traces.size());
}

void find_library_call_in_loop(const Evidence& evidence, Findings& findings) {
  for (const MadeAgain& made : made_again_by_line(evidence)) {
    if (!made.by_library || made.functions.size() < kManyCalls) continue;
    const std::vector<LineRun> runs = runs_of_line(evidence, made);
    if (runs.size() < kManyCalls) continue;
    int64_t ns = 0;
    double elements = 0, iterations = 0;
    for (const LineRun& run : runs) {
      ns += run.end_ns - run.start_ns;
      elements += static_cast<double>(run.elements);
      iterations += static_cast<double>(run.iterations);
    }
    const auto time = static_cast<double>(ns), tracing = static_cast<double>(made.tracing_ns());
    size_t traces = 0;
    for (const FunctionRun* run : made.functions) traces += run->all_traces.size();
    if (!is_much(evidence, ns, traces)) continue;
    if (iterations > 0 ? elements > kFewElements * iterations : tracing < kMuchTracing * time) continue;
    Finding f;
    f.line = made.line;
    f.code = made.code;
    f.graphs = GraphRelation::kUnknown;
    f.calls = runs.size();
    f.cost_ns = f.saved_ns = ns;
    f.checked.why_not = "run again to measure it";
    f.title = "A library traces anew in each call at line " + std::to_string(made.line.line);
    f.detail = with_commas(runs.size()) + " calls made " + with_commas(made.functions.size()) +
               " functions with " + with_commas(traces) + " traces" +
               (iterations > 0 ? ", and " + with_commas(static_cast<uint64_t>(iterations)) + " pipelines for " +
                                     with_commas(static_cast<uint64_t>(elements)) + " elements"
                               : std::string()) +
               ": " + time_text(time) + " in all, " + time_text(tracing) + " of which were tracing";
    f.fix = fix_of(evidence.text(made.line));
    findings.found.push_back(std::move(f));
  }
}

const Cause library_call_in_loop("library_call_in_loop", find_library_call_in_loop);

}  // namespace
}  // namespace footlight::explain
