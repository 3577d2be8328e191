// A stage finds the trace of its function by the instruction that made both.
#include "engine/explain/python_runs.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace footlight::explain {

using session::ObservationKind;
using session::ObservationRecord;

std::vector<const ObservationRecord*> python_nodes(const Evidence& evidence) {
  std::map<std::tuple<TraceId, std::string, Line>, const ObservationRecord*> nodes;
  for (const ObservationRecord& o : evidence.records().observations) {
    if (o.kind != ObservationKind::kPythonCall) continue;
    const ObservationRecord*& known = nodes[{o.trace, o.note, {o.file, o.line}}];
    if (!known || known->count < o.count) known = &o;
  }
  std::vector<const ObservationRecord*> all;
  for (const auto& [key, o] : nodes) all.push_back(o);
  return all;
}

PythonRuns python_runs_of(const Evidence& evidence, const PipelineStage& stage) {
  PythonRuns sum;
  const Line line = evidence.line(stage.source);
  const std::string name = "Dataset_" + stage.name + '_';
  std::map<std::string, int64_t> by_name;
  for (const ObservationRecord* o : python_nodes(evidence)) {
    const session::TraceRecord* trace = evidence.trace(o->trace);
    if (!line || !trace) continue;
    const auto run = evidence.functions().find(trace->function);
    if (run == evidence.functions().end() || !run->second.record->name.starts_with(name)) continue;
    // Instructions tell the stages of one line apart. A library that adds the stage stands elsewhere than its caller.
    const bool is_other_code = trace->source.code != stage.source.code;
    if (trace->source != stage.source && !(is_other_code && evidence.line(trace->source) == line)) continue;
    sum.runs += o->count;
    sum.spent_ns += o->spent_ns;
    sum.busy_ns += std::clamp<int64_t>(o->busy_ns, 0, o->spent_ns);
    by_name[o->path] += o->spent_ns;
  }
  if (!by_name.empty()) sum.name = std::ranges::max_element(by_name, {}, [](const auto& n) { return n.second; })->first;
  return sum;
}

}  // namespace footlight::explain
