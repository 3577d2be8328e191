// py_function_hot_spot: a Python function that a graph calls runs often: each time the graph waits for the interpreter.
// Fix: tensor operations.
#include "engine/explain/causes/wrong_results.h"

#include "engine/explain/compare/text.h"
#include "engine/explain/python_runs.h"
#include "engine/explain/words.h"

#include <map>

namespace footlight::explain {
namespace {

using session::ObservationRecord;

constexpr uint64_t kManyRuns = 20;

// What ran at one line, by all traces that have it.
struct HotSpot {
  const ObservationRecord* first = nullptr;
  FunctionId function;
  uint64_t runs = 0;
  int64_t ns = 0;
};

void find_py_function_hot_spot(const Evidence& evidence, Findings& findings) {
  std::map<std::pair<Line, std::string>, HotSpot> spots;
  for (const ObservationRecord* o : python_nodes(evidence)) {
    HotSpot& spot = spots[{{o->file, o->line}, o->path}];
    if (!spot.first) spot.first = o;
    const session::TraceRecord* trace = evidence.trace(o->trace);
    if (trace && !spot.function.valid()) spot.function = trace->function;
    spot.runs += o->count;
    spot.ns += o->spent_ns;
  }
  for (const auto& [place, spot] : spots) {
    if (spot.runs < kManyRuns) continue;
    Finding f;
    f.function = spot.function;
    f.path = spot.first->path;
    f.line = place.first;
    f.example = spot.first->trace;
    f.graphs = GraphRelation::kUnknown;
    f.calls = spot.runs;
    f.counted = "runs";
    f.cost_ns = f.saved_ns = spot.ns;
    f.checked.why_not = "run again to measure it";
    const std::string function = short_name(evidence, f.function);
    f.title = f.path + " runs as Python inside " + function;
    f.detail = "The graph waited for Python in " + with_commas(spot.runs) + " runs: " +
               time_text(static_cast<double>(spot.ns)) + " in all";
    f.fix = "Write " + f.path + " with tensor operations, or call it once for a whole batch";
    findings.found.push_back(std::move(f));
  }
}

const Cause py_function_hot_spot("py_function_hot_spot", find_py_function_hot_spot);

}  // namespace
}  // namespace footlight::explain
