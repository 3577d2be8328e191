// py_function_hot_spot: a Python function that a graph calls runs often: each time the graph waits for the interpreter,
// which other threads may hold, and for the function. Fix: tensor operations.
#include "engine/explain/causes/wrong_results.h"

#include "engine/explain/compare/text.h"
#include "engine/explain/python_runs.h"
#include "engine/explain/words.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace footlight::explain {
namespace {

using session::ObservationRecord;

constexpr uint64_t kManyRuns = 20;

// What ran at one line, by all traces that have it.
struct HotSpot {
  const ObservationRecord* first = nullptr;
  FunctionId function;
  uint64_t runs = 0;
  int64_t ns = 0;             // in Python
  uint64_t recorded_runs = 0;  // of the nodes
  int64_t waited_ns = 0;      // that the nodes took in these
};

// "pyfunc_0" of "Tin=[int32]; token=pyfunc_0; python_function=stem #1"
std::string_view token_of(std::string_view attributes) {
  constexpr std::string_view kName = "token=";
  for (size_t at = 0; at < attributes.size();) {
    const size_t end = std::min(attributes.find("; ", at), attributes.size());
    const std::string_view one = attributes.substr(at, end - at);
    if (one.starts_with(kName)) return one.substr(kName.size());
    at = end + 2;
  }
  return {};
}

// Adds what nodes took, to the places whose functions they call. Sessions of several processes use a token again.
void add_waits(const Evidence& evidence, const std::map<std::pair<Line, std::string>, HotSpot*>& spots) {
  if (!evidence.records().eager) return;
  for (const PythonNode& ran : evidence.records().eager->python) {
    const session::GraphRecord* graph = evidence.graph(ran.graph);
    if (!graph || ran.node.value >= graph->nodes.size()) continue;
    const session::NodeRecord& node = graph->nodes[ran.node.value];
    const auto spot = spots.find({evidence.line(node.source), std::string(token_of(node.attributes))});
    if (spot == spots.end()) continue;
    spot->second->recorded_runs += ran.runs;
    spot->second->waited_ns += ran.ns;
  }
}

void find_py_function_hot_spot(const Evidence& evidence, Findings& findings) {
  std::map<std::pair<Line, std::string>, HotSpot> spots;
  std::map<std::pair<Line, std::string>, HotSpot*> by_token;
  for (const ObservationRecord* o : python_nodes(evidence)) {
    HotSpot& spot = spots[{{o->file, o->line}, o->path}];
    if (!spot.first) spot.first = o;
    const session::TraceRecord* trace = evidence.trace(o->trace);
    if (trace && !spot.function.valid()) spot.function = trace->function;
    spot.runs += o->count;
    spot.ns += o->spent_ns;
    by_token[{{o->file, o->line}, o->note}] = &spot;
  }
  add_waits(evidence, by_token);
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
    // Without the events of all runs the wait is not known.
    const bool is_wait_known = spot.recorded_runs == spot.runs;
    f.cost_ns = f.saved_ns = is_wait_known ? spot.waited_ns : spot.ns;
    f.checked.why_not = "run again to measure it";
    const std::string function = short_name(evidence, f.function);
    f.title = f.path + " runs as Python inside " + function;
    f.detail = "Python took " + time_text(static_cast<double>(spot.ns)) + " in " + with_commas(spot.runs) + " runs";
    if (is_wait_known) f.detail += "; the graph waited " + time_text(static_cast<double>(spot.waited_ns)) + " for it";
    f.fix = "Write " + f.path + " with tensor operations, or call it once for a whole batch";
    findings.found.push_back(std::move(f));
  }
}

const Cause py_function_hot_spot("py_function_hot_spot", find_py_function_hot_spot);

}  // namespace
}  // namespace footlight::explain
